import type { AdmissionRequest, AdmissionResponse } from "../../../api/types/admission/v1.js";
import type { ConversionRequest } from "../../../api/types/apiextensions/v1.js";
import type { SubjectAccessReviewSpec } from "../../../api/types/authorization/v1.js";
import type { TokenReviewSpec } from "../../../api/types/authentication/v1.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { parseGroupVersion } from "../../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../machinery/meta/json.js";
import type { ApiObject } from "../../../machinery/meta/object.js";
import { createJsonPatch } from "../../../machinery/patch/create-json-patch.js";
import { deepCopy } from "../../../machinery/patch/json-values.js";
import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import { AdmissionRefusal } from "./admission-refusal.js";
import type { AdmissionHandler, KindConversion, WebhookHandler } from "./webhook-handlers.js";

/** The group and kind of the reviews that each type of handler answers, and their versions. */
const REVIEWS = {
  admission: { group: "admission.k8s.io", kind: "AdmissionReview", versions: ["v1", "v1beta1"] },
  conversion: { group: "apiextensions.k8s.io", kind: "ConversionReview", versions: ["v1", "v1beta1"] },
  authentication: { group: "authentication.k8s.io", kind: "TokenReview", versions: ["v1", "v1beta1"] },
  authorization: { group: "authorization.k8s.io", kind: "SubjectAccessReview", versions: ["v1", "v1beta1"] },
} as const;

/** A body that is no review for this path. */
export class NoReviewError extends Error {}

export interface ReviewCall {
  readonly signal: AbortSignal;
  /** Hears of an error that a handler has thrown and that is no refusal. */
  readonly failed: (error: unknown) => void;
}

/** Answers a decoded review in the version that it has. Rejects with a NoReviewError for anything else. */
export async function answerReview(handler: WebhookHandler, review: JsonValue, call: ReviewCall): Promise<JsonObject> {
  const { group, kind, versions } = REVIEWS[handler.type];
  const stated = isJsonObject(review) ? review : {};
  if (stated["kind"] !== kind || !versions.some((version) => stated["apiVersion"] === `${group}/${version}`)) {
    throw new NoReviewError(`the body is no ${kind} of ${group}/${versions.join(" or ")}`);
  }
  const head = { kind, apiVersion: textOf(stated["apiVersion"]) };
  switch (handler.type) {
    case "admission":
      return { ...head, response: await admissionResponse(handler.handle, requestOf(stated, "request"), call) };
    case "conversion":
      return { ...head, response: conversionResponse(handler.kinds, requestOf(stated, "request"), call) };
    case "authentication": {
      const spec = requestOf<TokenReviewSpec>(stated, "spec");
      const status = await settled(() => handler.handle(spec, call), call);
      return { ...head, status: plain("value" in status ? status.value : { error: status.error }) };
    }
    case "authorization": {
      const spec = requestOf<SubjectAccessReviewSpec>(stated, "spec");
      const status = await settled(() => handler.handle(spec, call), call);
      return {
        ...head,
        status: plain("value" in status ? status.value : { allowed: false, evaluationError: status.error }),
      };
    }
  }
}

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

function requestOf<T>(review: JsonObject, field: string): T {
  const request = review[field];
  if (!isJsonObject(request)) throw new NoReviewError(`the review has no ${field}`);
  return request as T;
}

/** The value as JSON has it: without undefined members, and with dates as text. */
const plain = (value: unknown): JsonObject => decodeJson(encodeJson(value)).value as JsonObject;

async function settled<T>(
  work: () => T | Promise<T>,
  { failed }: ReviewCall,
): Promise<{ value: T } | { error: string }> {
  try {
    return { value: await work() };
  } catch (error) {
    failed(error);
    return { error: errorMessage(error) };
  }
}

async function admissionResponse(
  handle: AdmissionHandler,
  sent: AdmissionRequest,
  { signal, failed }: ReviewCall,
): Promise<JsonObject> {
  const warnings: string[] = [];
  const auditAnnotations: Record<string, string> = {};
  // Handlers change objects: the patch is made from what was sent.
  const request = deepCopy(sent as unknown as JsonObject) as unknown as AdmissionRequest;
  const answer = (rest: Partial<AdmissionResponse>): JsonObject => {
    const notes = Object.keys(auditAnnotations).length > 0 ? { auditAnnotations } : {};
    return plain({ uid: sent.uid, allowed: true, ...rest, ...(warnings.length > 0 && { warnings }), ...notes });
  };
  try {
    const result = await handle({
      request,
      signal,
      warn: (text) => void warnings.push(text),
      annotate: (key, value) => void (auditAnnotations[key] = value),
    });
    if (result === undefined) return answer({});
    const patch = createJsonPatch((sent.object ?? null) as JsonValue, plain(result.object));
    if (patch.length === 0) return answer({});
    return answer({ patch: Buffer.from(encodeJson(patch)).toString("base64"), patchType: "JSONPatch" });
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) failed(error);
    return answer({ allowed: false, status: statusOf(error) });
  }
}

function statusOf(error: unknown): NonNullable<AdmissionResponse["status"]> {
  const message = errorMessage(error);
  if (!(error instanceof AdmissionRefusal)) {
    return { status: "Failure", message, reason: "InternalError", code: 500 };
  }
  const { code, reason, causes } = error;
  return { status: "Failure", message, reason, code, ...(causes.length > 0 && { details: { causes: [...causes] } }) };
}

function conversionResponse(
  kinds: readonly KindConversion[],
  request: ConversionRequest,
  call: ReviewCall,
): JsonObject {
  const { uid, desiredAPIVersion, objects } = request;
  try {
    if (!Array.isArray(objects)) throw new NoReviewError("the review has no objects");
    const convertedObjects = (objects as unknown as JsonValue[]).map((object) =>
      converted(kinds, object, desiredAPIVersion),
    );
    return { uid, convertedObjects, result: { status: "Success" } };
  } catch (error) {
    call.failed(error);
    return { uid, convertedObjects: [], result: { status: "Failure", message: errorMessage(error) } };
  }
}

function converted(kinds: readonly KindConversion[], object: JsonValue, desired: string): JsonValue {
  if (!isJsonObject(object)) throw new Error("an object of the review is no object");
  const [apiVersion, kind] = [textOf(object["apiVersion"]), textOf(object["kind"])];
  const from = parseGroupVersion(apiVersion);
  const to = parseGroupVersion(desired);
  const conversion = kinds.find((one) => one.group === from.group && one.kind === kind);
  if (conversion === undefined || to.group !== from.group) {
    throw new Error(`no conversion of ${apiVersion} ${kind} to ${desired} is here`);
  }
  const { hub, versions } = conversion;
  const spoke = (version: string) => {
    const found = versions.get(version);
    if (found === undefined) throw new Error(`no conversion of ${kind} ${version} is here`);
    return found;
  };
  let current = deepCopy(object) as unknown as ApiObject;
  if (from.version === to.version) return object;
  if (from.version !== hub) current = spoke(from.version).toHub(current);
  if (to.version !== hub) current = spoke(to.version).fromHub(current);
  return plain({ ...current, apiVersion: desired, kind });
}
