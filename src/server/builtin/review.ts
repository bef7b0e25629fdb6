import type { FieldsOf } from "../../machinery/meta/received.js";
import type { UserInfo } from "../../api/types/authentication/v1.js";
import type { FieldError } from "../../machinery/errors/field-error.js";
import { badRequest, invalid } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { readObjectBody } from "../endpoints/negotiation/request-body.js";
import { negotiatePlain } from "../endpoints/negotiation/response-format.js";
import { writeOptions } from "../endpoints/options/write-options.js";
import type { MakeHandler } from "../endpoints/resource-record.js";
import type { ServedResource } from "../endpoints/served-resource.js";
import { Admitter } from "../endpoints/verbs/admitter.js";
import { respondValue } from "../endpoints/verbs/answer.js";
import { fieldManagerName, fieldTracking } from "../endpoints/verbs/field-tracking.js";
import { clearSystemMetadata, matchNamespace, timestamp } from "../registry/metadata.js";
import type { ApiRequest } from "../request/api-request.js";
import type { User } from "../request/user.js";

/** How one kind of review is validated and answered. */
export interface Reviewer {
  /** What is wrong with the question. */
  readonly validate?: (review: KubeObject) => readonly FieldError[];
  /** The text of a bad request, for what is no question at all. */
  readonly problem?: (review: KubeObject) => string | undefined;
  /** Makes the status from the question. */
  readonly answer: (review: KubeObject, request: ApiRequest) => Promise<JsonObject>;
  /** What goes back with the status: the question, or an object that has only the status, and when it was made or not. */
  readonly shows: "question" | "status" | "status and time";
}

/** The "create" of a review: a kind that is answered in the response to its POST, and never stored. */
export const review =
  (reviewer: Reviewer): MakeHandler =>
  (resource) =>
  (request) =>
    handleReview(request, resource, reviewer);

/** POST of a review: the question comes back with its answer. */
async function handleReview(request: ApiRequest, resource: ServedResource, reviewer: Reviewer): Promise<void> {
  const format = negotiatePlain(request.exchange);
  const options = writeOptions(request.exchange.query, "CreateOptions");
  const { object, warnings } = await resource.codec.decode(await readObjectBody(request), options.fieldValidation);
  for (const warning of warnings) request.warnings.add(warning);
  request.audit?.decoded(object, resource.codec.schema);
  const { apiVersion, kind } = object;
  clearSystemMetadata(object);
  matchNamespace(object, request.info.namespace);
  fieldTracking(resource).track(object, undefined, fieldManagerName(request, options));
  const admit = new Admitter(request, resource, options.dryRun).create;
  await admit.mutate?.(object);
  const problem = reviewer.problem?.(object);
  if (problem !== undefined) throw badRequest(problem);
  const errors = reviewer.validate?.(object) ?? [];
  // Kubernetes has forgotten the kind by then, and names none.
  if (errors.length > 0) throw invalid({ group: resource.facts.group, kind: "" }, "", errors);
  await admit.validate?.(object);
  const status = await reviewer.answer(object, request);
  const time = reviewer.shows === "status and time" && { creationTimestamp: timestamp(resource.now()) };
  const answered =
    reviewer.shows === "question" ? { ...object, status } : { apiVersion, kind, metadata: { ...time }, status };
  await respondValue(request, format, 201, answered, resource.codec.schema);
}

/** A user as TokenReview and SelfSubjectReview show it. */
export function userInfo(user: User): JsonObject {
  return {
    username: user.name,
    ...(user.uid !== undefined && ({ uid: user.uid } satisfies FieldsOf<UserInfo>)),
    groups: [...user.groups],
    ...(user.extra !== undefined &&
      ({
        extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
      } satisfies FieldsOf<UserInfo>)),
  } satisfies FieldsOf<UserInfo>;
}
