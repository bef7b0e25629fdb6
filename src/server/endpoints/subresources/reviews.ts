import {
  selfSubjectRulesReviewProblem,
  tokenReviewProblem,
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from "../../../api/validation/reviews.js";
import type { FieldError } from "../../../machinery/errors/field-error.js";
import { badRequest, invalid, isStatusError } from "../../../machinery/errors/status-error.js";
import { list, text } from "../../../machinery/meta/access.js";
import { isJsonObject, type JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { clearSystemMetadata, matchNamespace, timestamp } from "../../registry/metadata.js";
import type { ApiRequest } from "../../request/api-request.js";
import { authenticated, InvalidTokenError, type TokenLookup, type User } from "../../request/user.js";
import { readObjectBody } from "../negotiation/request-body.js";
import { negotiatePlain } from "../negotiation/response-format.js";
import { writeOptions } from "../options/write-options.js";
import type { ServedResource } from "../served-resource.js";
import { ignoredSelectors } from "./ignored-selectors.js";
import { respondValue } from "../verbs/answer.js";
import { fieldManagerName } from "../verbs/field-manager-name.js";
import { fieldTracking } from "../verbs/field-tracking.js";

interface Reviewer {
  /** What is wrong with the question. */
  readonly validate?: (review: KubeObject) => readonly FieldError[];
  /** The text of a bad request, for what is no question at all. */
  readonly problem?: (review: KubeObject) => string | undefined;
  /** Makes the status from the question. */
  readonly answer: (review: KubeObject, request: ApiRequest) => Promise<JsonObject>;
  /** What goes back with the status: the question, or an object that has only the status, and when it was made or not. */
  readonly shows: "question" | "status" | "status and time";
}

/** What is asked and answered in one POST, and kept nowhere, by "<group version>/<resource>". */
export function reviewers(
  tokens: readonly TokenLookup[],
  audiences: readonly string[] = [],
): ReadonlyMap<string, Reviewer> {
  // Whoever is authenticated may do everything, until authorization says otherwise.
  const allowed = (review: KubeObject): Promise<JsonObject> => {
    const evaluationError = ignoredSelectors(review);
    return Promise.resolve({ allowed: true, ...(evaluationError !== undefined && { evaluationError }) });
  };
  const shows = "question" as const;
  return new Map<string, Reviewer>([
    ["authorization.k8s.io/v1/subjectaccessreviews", { validate: validateSubjectAccessReview, answer: allowed, shows }],
    [
      "authorization.k8s.io/v1/localsubjectaccessreviews",
      { validate: validateLocalSubjectAccessReview, answer: allowed, shows },
    ],
    [
      "authorization.k8s.io/v1/selfsubjectaccessreviews",
      { validate: validateSelfSubjectAccessReview, answer: allowed, shows },
    ],
    [
      "authorization.k8s.io/v1/selfsubjectrulesreviews",
      { problem: selfSubjectRulesReviewProblem, answer: () => Promise.resolve(EVERYTHING), shows: "status" },
    ],
    [
      "authentication.k8s.io/v1/selfsubjectreviews",
      {
        answer: (_, request) => Promise.resolve({ userInfo: userInfo(request.user) }),
        shows: "status and time",
      },
    ],
    [
      "authentication.k8s.io/v1/tokenreviews",
      { problem: tokenReviewProblem, answer: (review) => reviewToken(review, tokens, audiences), shows },
    ],
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
  const { apiVersion, kind } = object;
  clearSystemMetadata(object);
  matchNamespace(object, request.info.namespace);
  fieldTracking(resource).track(object, undefined, fieldManagerName(request, options));
  const problem = review.problem?.(object);
  if (problem !== undefined) throw badRequest(problem);
  const errors = review.validate?.(object) ?? [];
  // Kubernetes has forgotten the kind by then, and names none.
  if (errors.length > 0) throw invalid({ group: resource.facts.group, kind: "" }, "", errors);
  const status = await review.answer(object, request);
  const time = review.shows === "status and time" && { creationTimestamp: timestamp(resource.now()) };
  const answered =
    review.shows === "question" ? { ...object, status } : { apiVersion, kind, metadata: { ...time }, status };
  await respondValue(request, format, 201, answered, resource.codec.schema);
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

/** `own` are the API's own audiences: what is asked for when the review does not say. */
async function reviewToken(
  review: KubeObject,
  tokens: readonly TokenLookup[],
  own: readonly string[],
): Promise<JsonObject> {
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
      return { authenticated: true, user: userInfo(authenticated(user)), ...good };
    }
  } catch (error) {
    if (isStatusError(error)) return { user: {}, error: error.message };
    if (!(error instanceof InvalidTokenError)) throw error;
    reasons.push(error.message);
  }
  return { user: {}, error: `[${reasons.join(", ")}]` };
}
