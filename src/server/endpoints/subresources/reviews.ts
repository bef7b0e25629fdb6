import { encodeObject } from "../../../machinery/codec/encode.js";
import { isStatusError } from "../../../machinery/errors/status-error.js";
import { isJsonObject, type JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { timestamp } from "../../registry/metadata.js";
import type { ApiRequest } from "../../request/api-request.js";
import { authenticated, type TokenLookup, type User } from "../../request/user.js";
import { readObjectBody } from "../negotiation/request-body.js";
import { negotiatePlain } from "../negotiation/response-format.js";
import { writeOptions } from "../options/write-options.js";
import type { ServedResource } from "../served-resource.js";
import { respondJson } from "../verbs/answer.js";

/** Makes the status of a review from the question in it. */
type Reviewer = (review: KubeObject, request: ApiRequest) => Promise<JsonObject>;

/** What is asked and answered in one POST, and kept nowhere, by "<group version>/<resource>". */
export function reviewers(tokens: readonly TokenLookup[]): ReadonlyMap<string, Reviewer> {
  // Whoever is authenticated may do everything, until authorization says otherwise.
  const allowed: Reviewer = () => Promise.resolve({ allowed: true });
  return new Map<string, Reviewer>([
    ["authorization.k8s.io/v1/subjectaccessreviews", allowed],
    ["authorization.k8s.io/v1/localsubjectaccessreviews", allowed],
    ["authorization.k8s.io/v1/selfsubjectaccessreviews", allowed],
    ["authorization.k8s.io/v1/selfsubjectrulesreviews", () => Promise.resolve(EVERYTHING)],
    [
      "authentication.k8s.io/v1/selfsubjectreviews",
      (_, request) => Promise.resolve({ userInfo: userInfo(request.user) }),
    ],
    ["authentication.k8s.io/v1/tokenreviews", (review) => reviewToken(review, tokens)],
  ]);
}

const EVERYTHING: JsonObject = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
};

/** POST of a review: the question comes back with its answer. */
export async function handleReview(request: ApiRequest, resource: ServedResource, review: Reviewer): Promise<void> {
  const format = negotiatePlain(request.exchange);
  const options = writeOptions(request.exchange.query, "CreateOptions");
  const { object, warnings } = await resource.codec.decode(await readObjectBody(request), options.fieldValidation);
  for (const warning of warnings) request.warnings.add(warning);
  const metadata = { ...object.metadata, creationTimestamp: timestamp(resource.now()) };
  const answered = { ...object, metadata, status: await review(object, request) };
  await respondJson(request, format, 201, encodeObject(answered, resource.codec.schema));
}

function userInfo(user: User): JsonObject {
  return {
    username: user.name,
    ...(user.uid !== undefined && { uid: user.uid }),
    groups: [...user.groups],
    ...(user.extra !== undefined && {
      extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
    }),
  };
}

async function reviewToken(review: KubeObject, tokens: readonly TokenLookup[]): Promise<JsonObject> {
  const spec = isJsonObject(review["spec"]) ? review["spec"] : {};
  const token = typeof spec["token"] === "string" ? spec["token"] : "";
  try {
    for (const lookup of tokens) {
      const user = await lookup(token);
      if (user !== undefined) return { authenticated: true, user: userInfo(authenticated(user)) };
    }
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return { user: {}, error: error.message };
  }
  return { user: {}, error: "[invalid bearer token]" };
}
