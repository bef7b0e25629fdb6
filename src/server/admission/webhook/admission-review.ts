import type { FieldsOf } from "../../../machinery/meta/received.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import type { AdmissionRequest, AdmissionResponse } from "../../../api/types/admission/v1.js";
import type { UserInfo } from "../../../api/types/authentication/v1.js";
import { object, list, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { GroupVersionKind, GroupVersionResource } from "../../../machinery/meta/gvk.js";
import type { User } from "../../request/user.js";
import { type AnsweredReview, kindText } from "../../webhook/read-review.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { Invocation } from "./invocation.js";
import { errorMessage } from "../../../base/text/error-message.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { internalError } from "../../../machinery/errors/status-error.js";

const GROUP = "admission.k8s.io";

/** The versions of AdmissionReview that there are. */
export const REVIEW_VERSIONS = ["v1", "v1beta1"].map((version) => ({ group: GROUP, version }));

/** The first version of AdmissionReview that a webhook accepts and kube-apiserver supports. */
export function reviewKind(accepted: readonly string[]): GroupVersionKind | undefined {
  const version = accepted.find((one) => REVIEW_VERSIONS.some((known) => known.version === one));
  return version === undefined ? undefined : { group: GROUP, version, kind: "AdmissionReview" };
}

/** The objects of a request as the webhook gets them: JSON in the version of the invocation's kind. */
export interface ReviewedObjects {
  readonly object: Uint8Array | undefined;
  readonly oldObject: Uint8Array | undefined;
}

/** Encodes the review that is posted, with the fields of Go's AdmissionRequest in their order. */
export function encodeReview(
  review: GroupVersionKind,
  uid: string,
  attributes: AdmissionAttributes,
  { kind, resource }: Invocation,
  objects: ReviewedObjects,
): Uint8Array {
  const { subresource, name, namespace, operation, user, dryRun, options } = attributes;
  const request: FieldsOf<AdmissionRequest> = {
    uid,
    kind: kindOf(kind),
    resource: resourceOf(resource),
    subResource: filled(subresource),
    requestKind: kindOf(attributes.kind),
    requestResource: resourceOf(attributes.resource),
    requestSubResource: filled(subresource),
    name: filled(name),
    namespace: filled(namespace),
    operation,
    userInfo: userInfo(user),
  };
  const head = `{"kind":"AdmissionReview","apiVersion":"${review.group}/${review.version}","request":${encodeJson(request).slice(0, -1)}`;
  const tail = `,"dryRun":${String(dryRun)},"options":${options === undefined ? "null" : encodeJson(options)}}}\n`;
  return Buffer.concat([
    Buffer.from(`${head},"object":`),
    objects.object ?? NOTHING,
    Buffer.from(`,"oldObject":`),
    objects.oldObject ?? NOTHING,
    Buffer.from(tail),
  ]);
}

const NOTHING = Buffer.from("null");

const kindOf = ({ group, version, kind }: GroupVersionKind) =>
  ({ group, version, kind }) satisfies FieldsOf<GroupVersionKind>;

const resourceOf = ({ group, version, resource }: GroupVersionResource) =>
  ({ group, version, resource }) satisfies FieldsOf<GroupVersionResource>;

function userInfo({ name, uid = "", groups, extra = {} }: User): FieldsOf<UserInfo> {
  return {
    username: filled(name),
    uid: filled(uid),
    groups: groups.length > 0 ? groups : undefined,
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  };
}

/** Returns the text, or undefined for an empty one, which Go leaves out. */
const filled = (text: string): string | undefined => (text === "" ? undefined : text);

/** The decision of a webhook. */
export interface ReviewResult {
  readonly allowed: boolean;
  /** JSON; empty for none. */
  readonly patch: Uint8Array;
  readonly patchType: string;
  /** A Status of meta/v1. */
  readonly result: ReadonlyFields | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: ReadonlyFields;
}

/** How much of a wrong uid an error shows. */
const SHOWN_UID = 256;

/** Checks an answer as kube-apiserver does: v1 strictly, v1beta1 hardly. Throws an Error in its words. */
export function verifyReview(
  { stated, response }: AnsweredReview,
  review: GroupVersionKind,
  uid: string,
  phase: "mutating" | "validating",
): ReviewResult {
  if (response === undefined) throw new Error("webhook response was absent");
  const given: FieldsOf<AdmissionResponse> = response;
  const { patchType } = given;
  const patch = text(given.patch);
  const common = {
    allowed: given.allowed === true,
    result: given.status === undefined || given.status === null ? undefined : object(given.status),
    warnings: list(given.warnings).map(text),
    auditAnnotations: object(given.auditAnnotations),
  };
  const patched = (type: string) => ({
    ...common,
    patch: Buffer.from(patch, "base64"),
    patchType: type,
  });
  const unpatched = { ...common, patch: Buffer.alloc(0), patchType: "" };
  if (review.version === "v1beta1") return phase === "mutating" && patch !== "" ? patched("JSONPatch") : unpatched;
  const answered = text(given.uid);
  if (answered !== uid)
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(answered.slice(0, SHOWN_UID))}`);
  if (kindText(stated) !== kindText(review)) {
    throw new Error(`expected webhook response of ${kindText(review)}, got ${kindText(stated)}`);
  }
  const hasType = patchType !== undefined && patchType !== null;
  if (phase === "validating") {
    if (patch !== "") throw new Error("validating webhook may not return response.patch");
    if (hasType) throw new Error("validating webhook may not return response.patchType");
    return unpatched;
  }
  if (patch !== "" && !hasType) throw new Error("webhook returned response.patch but not response.patchType");
  if (patch === "" && hasType) throw new Error("webhook returned response.patchType but not response.patch");
  if (hasType && text(patchType) === "") throw new Error('webhook returned invalid response.patchType of ""');
  return patched(text(patchType));
}

/** Converts the objects of a request to the version of `kind`, and encodes them as JSON. */
export async function reviewedObjects(
  attributes: AdmissionAttributes,
  kind: GroupVersionKind,
): Promise<ReviewedObjects> {
  const { object, oldObject, versions } = attributes;
  const encoded = async (one: KubeObject): Promise<Uint8Array> =>
    versions.encode(await versions.convert(one, kind), kind);
  try {
    return { object: object && (await encoded(object)), oldObject: oldObject && (await encoded(oldObject)) };
  } catch (error) {
    // A conversion by another process may fail.
    throw internalError(errorMessage(error));
  }
}
