import { tokenReviewProblem } from "../../../api/validation/reviews.js";
import { isStatusError } from "../../../machinery/errors/status-error.js";
import { list, text } from "../../../machinery/meta/access.js";
import { isJsonObject, type JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { authenticated, type AuthenticatedUser, InvalidTokenError, type TokenLookup } from "../../request/user.js";
import { review, type Reviewer, userInfo } from "../review.js";

export const tokenReviewRecord: ResourceRecord = {
  group: "authentication.k8s.io",
  resource: "tokenreviews",
  storage: NOT_STORED,
  handlers: {
    create: (resource, server) => {
      const audiences = server.serviceAccounts?.issuer.audiences ?? [];
      const reviewer: Reviewer = {
        problem: tokenReviewProblem,
        answer: async (question, { warnings }) => {
          const { user, status } = await reviewToken(question, server.tokens, audiences);
          for (const warning of user?.warnings ?? []) warnings.add(warning);
          return status;
        },
        shows: "question",
      };
      return review(reviewer)(resource, server);
    },
  },
};

/** `own` are the API's own audiences: what is asked for when the review does not say. */
async function reviewToken(
  review: KubeObject,
  tokens: readonly TokenLookup[],
  own: readonly string[],
): Promise<{ readonly status: JsonObject; readonly user?: AuthenticatedUser }> {
  const spec = isJsonObject(review["spec"]) ? review["spec"] : {};
  const token = typeof spec["token"] === "string" ? spec["token"] : "";
  const asked = list(spec["audiences"]).map(text);
  const wanted = asked.length === 0 ? own : asked;
  const reasons = ["invalid bearer token"];
  try {
    for (const lookup of tokens) {
      const user = await lookup(token, wanted);
      if (user === undefined) continue;
      const audiences = user.audiences ?? wanted.filter((one) => own.includes(one));
      if (wanted.length > 0 && audiences.length === 0) continue;
      const good = audiences.length > 0 && { audiences: [...audiences] };
      return { user, status: { authenticated: true, user: userInfo(authenticated(user)), ...good } };
    }
  } catch (error) {
    if (isStatusError(error)) return { status: { user: {}, error: error.message } };
    if (!(error instanceof InvalidTokenError)) throw error;
    reasons.push(error.message);
  }
  return { status: { user: {}, error: `[${reasons.join(", ")}]` } };
}
