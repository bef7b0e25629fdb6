import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";
import { jsonText } from "../serializers/json/json-text.js";
import { UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import { invalidValue } from "../../../machinery/errors/field-error.js";
import { badRequest, conflict, invalid, notFound, type StatusError } from "../../../machinery/errors/status-error.js";
import { throwIfCancelled } from "../../../base/async/cancellation.js";
import type { Steps } from "../../../base/async/steps.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { jsonPatchSteps } from "../../../machinery/patch/json-patch.js";
import { formatGo, kindOf } from "../../../machinery/patch/json-values.js";
import { mergePatchSteps } from "../../../machinery/patch/merge-patch.js";
import { isPatchError, patchErrorStatus } from "../../../machinery/patch/patch-error.js";
import { strategicMergeSteps } from "../../../machinery/patch/strategic-merge.js";
import { fromSchema } from "../../../machinery/patch/strategic-schema.js";
import type { Transform, UpdateOptions, Updater } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { StoredObject } from "../../storage/store.js";
import { step } from "../../../machinery/tracing/request-span.js";
import { readBytes, runSteps, runWork } from "../negotiation/request-body.js";
import { writeOptions, type WriteOptions } from "../options/write-options.js";
import type { FieldValidation, PatchedObject, VersionCodec } from "../representation/version-codec.js";
import { encodeStored } from "../serializers/json/stored-json.js";
import type { ServedResource } from "../served-resource.js";
import { respondObject } from "./answer.js";
import { checkName } from "./update.js";
import {
  auditPatch,
  type DecodedPatch,
  decodePatchSteps,
  APPLY,
  type PatchType,
  patchTypeOf,
  STRATEGIC,
} from "./patch-body.js";
import { readAppliedObject } from "./applied-object.js";
import { fieldManagerName, type FieldTracking, fieldTracking } from "./field-tracking.js";
import { Admitter } from "./admitter.js";
import { changeOrRetry } from "./retry-too-large.js";
import { type EndpointScope, objectFormat, scopeOf, weigh } from "./scope.js";
import { answerInSteps } from "./steps.js";
import { ownValue } from "../../../machinery/wire/json/own-keys.js";
import type { ScalarSchema, Schema } from "../../../machinery/schema/schema.js";

/** Handles PATCH of an object or of a part of it. */
export async function handlePatch(
  request: ApiRequest,
  resource: ServedResource,
  storage: Updater,
  subresource?: UpdateOptions["subresource"],
): Promise<void> {
  const type = patchTypeOf(request, resource);
  const format = objectFormat(request.exchange, resource);
  const bytes = await readBytes(request);
  const options = writeOptions(request.exchange.query, "PatchOptions", { apply: type === APPLY });
  auditPatch(request, bytes, type, resource.release);
  step("Recorded the audit event");
  const tracking = fieldTracking(resource, subresource);
  const scope = scopeOf(request, options.dryRun, bytes);
  const change =
    type === APPLY
      ? await applying(request, resource, tracking, bytes, options, scope)
      : await patching(request, resource, tracking, bytes, type, options, scope);
  await scope.pause?.(scope.token);
  const transform: Transform = async (current) => {
    const draft = await change(current);
    await scope.pause?.(scope.token);
    return draft;
  };
  const update = (transform: Transform) =>
    storage.update(scope, request.info.name, transform, {
      subresource,
      createMissing: type === APPLY && subresource === undefined,
      admit: new Admitter(request, resource, options.dryRun).update,
    });
  // Without its managedFields, an apply would forget what it owns.
  const result = await (type === APPLY ? update(transform) : changeOrRetry(transform, update));
  step("Object stored in database");
  await answerInSteps(() => respondObject(request, resource, format, result.created ? 201 : 200, result.object));
}

async function patching(
  request: ApiRequest,
  resource: ServedResource,
  tracking: FieldTracking,
  bytes: Uint8Array,
  type: PatchType,
  options: WriteOptions,
  scope: EndpointScope,
): Promise<Transform> {
  const { info } = request;
  const patch = await runSteps(
    bytes,
    decodePatchSteps(bytes, type, options.fieldValidation, resource.release),
    request,
  );
  const manager = fieldManagerName(request, options);
  return async (current) => {
    if (current === undefined) throw notFound({ group: info.apiGroup, resource: info.resource }, info.name);
    step("About to apply patch");
    const isLongWork = weigh(scope, current);
    const view = await runWork(isLongWork, tracking.shownSteps(current, isLongWork, request), request);
    const steps = patchShownSteps(request, resource, view, patch, type, options, isLongWork);
    const object =
      (await runWork(isLongWork, steps, request)) ??
      (await patchObject(request, resource, await documentOf(request, resource, current), patch, type, options));
    checkName(object, info);
    const hub = resource.codec.toHub(object, request);
    const draft = hub instanceof Promise ? await hub : hub;
    await runWork(isLongWork, tracking.trackSteps(draft, current, manager, isLongWork, request), request);
    step("About to check admission control");
    return draft;
  };
}

/** Returns the stored object as clients see it, with its fields in order. */
async function documentOf(request: ApiRequest, { codec }: ServedResource, stored: StoredObject): Promise<JsonValue> {
  const conversion = codec.prepare([stored], request);
  if (conversion !== undefined) await conversion;
  return decodeJson(encodeStored(codec, stored)).value;
}

/** Server-side apply, which creates a missing object. */
async function applying(
  request: ApiRequest,
  { release }: ServedResource,
  tracking: FieldTracking,
  bytes: Uint8Array,
  options: WriteOptions,
  scope: EndpointScope,
): Promise<Transform> {
  const { info } = request;
  const applied = await readAppliedObject(bytes, options, request, release);
  return async (current) => {
    const { fieldManager, force } = options;
    const isLongWork = weigh(scope, current);
    const steps = tracking.applySteps(current, applied.object, fieldManager, force, isLongWork, request);
    const draft = await runWork(isLongWork, steps, request);
    applied.checkKeys();
    checkName(draft, info);
    const uid = draft.metadata?.uid ?? "";
    if (current === undefined && uid !== "") {
      const text = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict({ group: info.apiGroup, resource: info.resource }, info.name, text);
    }
    return draft;
  };
}

/**
 * {@link patchObject} of an object that need not be read from its bytes; undefined when there is anything to tell, because that
 * follows the order of the fields in the document clients see.
 */
function* patchShownSteps(
  request: ApiRequest,
  { codec }: ServedResource,
  current: JsonObject,
  { value, strictErrors: inPatch }: DecodedPatch,
  type: PatchType,
  { fieldValidation }: WriteOptions,
  isLongWork: boolean,
): Steps<KubeObject | undefined> {
  if (inPatch.length > 0) return undefined;
  try {
    const patched = yield* applyPatchSteps(current, value, type, () => fromSchema(codec.schema));
    yield;
    if (type === STRATEGIC && unstructuredMismatch(patched, codec.schema) !== undefined) return undefined;
    yield;
    const { object, strictErrors } = yield* decodePatchedSteps(codec, patched, type, fieldValidation, isLongWork);
    return strictErrors.length === 0 ? object : undefined;
  } catch {
    throwIfCancelled(request);
    return undefined;
  }
}

/** Applies a patch to an object of the request's version and decodes the result. Throws kube-apiserver's errors. */
async function patchObject(
  request: ApiRequest,
  resource: ServedResource,
  current: JsonValue,
  patch: DecodedPatch,
  type: PatchType,
  options: WriteOptions,
): Promise<KubeObject> {
  const { codec } = resource;
  const patched = await inSlices(
    applyPatchSteps(current, patch.value, type, () => fromSchema(codec.schema)),
    request,
  );
  const problem = (text: string) => patchRefusal(patch.value, patched, type, text);
  const mismatch = type === STRATEGIC ? unstructuredMismatch(patched, codec.schema) : undefined;
  if (mismatch !== undefined) throw problem(mismatch);
  try {
    const steps = decodePatchedSteps(codec, patched, type, options.fieldValidation, true);
    const { object, strictErrors: inObject } = await inSlices(steps);
    const strictErrors = [...patch.strictErrors, ...inObject];
    if (options.fieldValidation === "Warn") for (const error of strictErrors) request.warnings.add(error);
    if (options.fieldValidation === "Strict" && strictErrors.length > 0) {
      throw problem(`strict decoding error: ${strictErrors.join(", ")}`);
    }
    return object;
  } catch (error) {
    if (error instanceof UnmarshalError) throw problem(error.message);
    throw error;
  }
}

/** A strategic merge patch changes an object of the kind; the others change a document, which may say that it is another. */
const decodePatchedSteps = (
  codec: VersionCodec,
  patched: JsonValue,
  type: PatchType,
  mode: FieldValidation,
  isLongWork: boolean,
): Steps<PatchedObject> =>
  type === STRATEGIC
    ? codec.decodePatchedSteps(patched, mode, { isLongWork })
    : codec.decodeStatedSteps(patched, mode, { isLongWork });

/** Returns the 422 for a patch whose result is not an object of the kind. */
export function patchRefusal(patch: JsonValue, patched: JsonValue, type: PatchType, text: string): StatusError {
  const shown = type === STRATEGIC ? formatGo(patch) : jsonText(topSorted(patched));
  return invalid({ group: "", kind: "" }, "", [invalidValue("patch", shown, text)]);
}

/** The library that applies JSON patches prints the document's own fields sorted. */
function topSorted(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Applies a patch, in steps. Throws a StatusError for a patch that cannot be applied. */
export function* applyPatchSteps(
  current: JsonValue,
  patch: JsonValue,
  type: PatchType,
  schema: () => ReturnType<typeof fromSchema> | undefined,
): Steps<JsonValue> {
  try {
    switch (type) {
      case "application/json-patch+json":
        return yield* jsonPatchSteps(current, patch);
      case "application/merge-patch+json":
        return yield* mergePatchSteps(current, patch);
      case "application/strategic-merge-patch+json":
        if (!isJsonObject(current) || !isJsonObject(patch)) throw badRequest("a strategic merge patch is an object");
        return yield* strategicMergeSteps(current, patch, schema());
    }
  } catch (error) {
    throw isPatchError(error) ? patchErrorStatus(error) : error;
  }
}

/**
 * Returns the text of apimachinery's converter for the first value that does not fit its type. A strategic merge patch decodes a map
 * directly into the type, so that a wrong value has another text than in a body. Undefined when the type itself words the error (quantities,
 * times).
 */
function unstructuredMismatch(value: JsonValue | undefined, schema: Schema): string | undefined {
  if (value === null || value === undefined) return undefined;
  const kind = kindOf(value);
  switch (schema.type) {
    case "struct":
      if (kind !== "map") return `cannot restore struct from: ${kind}`;
      return first(schema.fields, (field) => unstructuredMismatch(child(value, field.name), field.schema));
    case "map":
      if (kind !== "map") return `cannot restore map from ${kind}`;
      return first(Object.keys(value).sort(), (key) => unstructuredMismatch(child(value, key), schema.values));
    case "list":
      if (!Array.isArray(value)) return `cannot restore slice from ${kind}`;
      return first(value, (item) => unstructuredMismatch(item, schema.items));
    case "scalar":
      return scalarMismatch(kind, value, schema.scalar);
  }
}

const child = (value: JsonValue, key: string): JsonValue | undefined =>
  ownValue(value as object, key) as JsonValue | undefined;

function scalarMismatch(kind: string, value: JsonValue, scalar: ScalarSchema["scalar"]): string | undefined {
  if (scalar === "string") {
    if (kind === "string") return undefined;
    // Go would turn a number into a character; the converter says so instead.
    return kind === "int64" ? "cannot convert int64 to string" : "unrecognized type: string";
  }
  if (scalar === "bool") return kind === "bool" ? undefined : "unrecognized type: bool";
  if (scalar === "float64") return kind === "int64" || kind === "float64" ? undefined : "unrecognized type: float64";
  if (scalar !== "int32" && scalar !== "int64") return undefined;
  if (kind === "int64" || (kind === "float64" && Number.isInteger(value))) return undefined;
  return kind === "float64" ? `cannot convert float64 to ${scalar}` : `unrecognized type: ${scalar}`;
}

function first<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
