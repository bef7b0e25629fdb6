import type { FieldsOf } from "../../../machinery/meta/received.js";
import type {
  TokenReviewSpec,
  TokenReviewStatus,
  SelfSubjectReviewStatus,
  SelfSubjectReview,
} from "../../../api/types/authentication/v1.js";
import { NOT_STORED, type RecordOf, type ResourceRecord } from "../../endpoints/resource-record.js";
import { review, userInfo, type Reviewer } from "../review.js";
import { tokenReviewProblem } from "../../../api/validation/reviews.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { list, text } from "../../../machinery/meta/access.js";
import { isJsonObject, type JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { authenticated, type AuthenticatedUser, type TokenUnion } from "../../request/user.js";

export const selfSubjectReviewRecord: RecordOf<SelfSubjectReview> = {
  group: "authentication.k8s.io",
  resource: "selfsubjectreviews",
  storage: NOT_STORED,
  handlers: {
    create: review({
      answer: (_, request) =>
        Promise.resolve({ userInfo: userInfo(request.user) } satisfies FieldsOf<SelfSubjectReviewStatus>),
      shows: "status and time",
    }),
  },
};

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
  tokens: TokenUnion,
  own: readonly string[],
): Promise<{ readonly status: JsonObject; readonly user?: AuthenticatedUser }> {
  const spec: FieldsOf<TokenReviewSpec> = isJsonObject(review["spec"]) ? review["spec"] : {};
  const asked = list(spec.audiences).map(text);
  const { user, reasons } = await tokens(text(spec.token), asked.length === 0 ? own : asked);
  if (user === undefined)
    return {
      status: {
        user: {},
        error: aggregateText(["invalid bearer token", ...reasons]),
      } satisfies FieldsOf<TokenReviewStatus>,
    };
  const { audiences = [] } = user;
  const good = audiences.length > 0 && ({ audiences: [...audiences] } satisfies FieldsOf<TokenReviewStatus>);
  return {
    user,
    status: { authenticated: true, user: userInfo(authenticated(user)), ...good } satisfies FieldsOf<TokenReviewStatus>,
  };
}
