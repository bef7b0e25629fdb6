import { decodeJson, JsonDecodeError } from "../../../machinery/codec/json-decoder.js";
import { jsonText } from "../representation/json-text.js";
import { UnmarshalError } from "../../../machinery/codec/strict-decode.js";
import { invalidValue } from "../../../machinery/errors/field-error.js";
import {
  badRequest,
  conflict,
  invalid,
  notFound,
  type StatusError,
  unsupportedMediaType,
} from "../../../machinery/errors/status-error.js";
import { isJsonObject, type JsonValue } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { applyJsonPatch } from "../../../machinery/patch/json-patch.js";
import { formatGo, kindOf } from "../../../machinery/patch/json-values.js";
import { applyMergePatch } from "../../../machinery/patch/merge-patch.js";
import { isPatchError, patchErrorStatus } from "../../../machinery/patch/patch-error.js";
import { strategicMergePatch } from "../../../machinery/patch/strategic-merge.js";
import { fromSchema } from "../../../machinery/patch/strategic-schema.js";
import type { Transform, UpdateOptions, Updater } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import { parseMediaType } from "../negotiation/media-type.js";
import { BODY_LIMIT } from "../negotiation/request-body.js";
import { writeOptions, type WriteOptions } from "../options/write-options.js";
import type { ServedResource } from "../served-resource.js";
import { respondObject } from "./answer.js";
import { checkName } from "./check-name.js";
import { readAppliedObject } from "./applied-object.js";
import { fieldManagerName } from "./field-manager-name.js";
import { type FieldTracking, fieldTracking } from "./field-tracking.js";
import { unstructuredMismatch } from "./unstructured-mismatch.js";
import { admitter, objectFormat, scopeOf } from "./scope.js";

export const PATCH_TYPES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
] as const;

/** A patch that is computed from the patch and the object alone. */
export type PatchType = (typeof PATCH_TYPES)[number];

export const APPLY = "application/apply-patch+yaml";

const STRATEGIC = "application/strategic-merge-patch+json";

/** PATCH of an object or of a part of it. */
export async function handlePatch(
  request: ApiRequest,
  resource: ServedResource,
  storage: Updater,
  subresource?: UpdateOptions["subresource"],
): Promise<void> {
  const type = patchTypeOf(request);
  const format = objectFormat(request.exchange);
  const bytes = await request.exchange.body(BODY_LIMIT);
  const options = writeOptions(request.exchange.query, "PatchOptions", { apply: type === APPLY });
  const tracking = fieldTracking(resource, subresource);
  const transform =
    type === APPLY
      ? await applying(request, tracking, bytes, options)
      : patching(request, resource, tracking, decodePatch(bytes, type), type, options);
  const result = await storage.update(scopeOf(request, options.dryRun), request.info.name, transform, {
    subresource,
    createMissing: type === APPLY && subresource === undefined,
    admit: admitter(request, resource, options.dryRun).update,
  });
  await respondObject(request, resource, format, result.created ? 201 : 200, result.object);
}

function patching(
  request: ApiRequest,
  resource: ServedResource,
  tracking: FieldTracking,
  patch: JsonValue,
  type: PatchType,
  options: WriteOptions,
): Transform {
  const { info } = request;
  const manager = fieldManagerName(request, options);
  return (current) => {
    if (current === undefined) throw notFound({ group: info.apiGroup, resource: info.resource }, info.name);
    // From the bytes of an answer: empty structs are there for a patch to reach into, as clients saw them.
    const { value } = decodeJson(resource.codec.encodeStored(current));
    const object = patchObject(request, resource, value, patch, type, options);
    checkName(object, info);
    const draft = resource.codec.toHub(object);
    tracking.track(draft, current, manager);
    return Promise.resolve(draft);
  };
}

/** Server-side apply: of an object that is not there it makes one. */
async function applying(
  request: ApiRequest,
  tracking: FieldTracking,
  bytes: Uint8Array,
  { fieldManager, force }: WriteOptions,
): Promise<Transform> {
  const { info } = request;
  const applied = await readAppliedObject(bytes);
  return (current) => {
    const draft = tracking.apply(current, applied, fieldManager, force);
    checkName(draft, info);
    const uid = draft.metadata?.uid ?? "";
    if (current === undefined && uid !== "") {
      const text = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict({ group: info.apiGroup, resource: info.resource }, info.name, text);
    }
    return Promise.resolve(draft);
  };
}

/** The type of a patch by its content type; 415 for one that this resource cannot take. */
export function patchTypeOf(request: ApiRequest): PatchType | typeof APPLY {
  const { type } = parseMediaType(request.exchange.headers["content-type"] ?? "");
  const known = [...PATCH_TYPES, APPLY] as const;
  const found = known.find((one) => one === type);
  if (found !== undefined) return found;
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${known.join(", ")}`,
  );
}

/** A patch as a value; throws the 400 kube-apiserver answers for one that is no JSON or of the wrong kind. */
export function decodePatch(bytes: Uint8Array, type: PatchType): JsonValue {
  const prefix = type === STRATEGIC ? "" : "error decoding patch: ";
  let value: JsonValue;
  try {
    value = decodeJson(bytes).value;
  } catch (error) {
    if (error instanceof JsonDecodeError) throw badRequest(prefix + error.message);
    throw error;
  }
  const list = type === "application/json-patch+json";
  if (value === null || (list ? Array.isArray(value) : isJsonObject(value))) return value ?? (list ? [] : {});
  const goType = list ? "[]handlers.jsonPatchOp" : "map[string]interface {}";
  throw badRequest(`${prefix}json: cannot unmarshal ${JSON_WORDS[kindOf(value)]} into Go value of type ${goType}`);
}

/** encoding/json's words for what it met. */
const JSON_WORDS = {
  nil: "null",
  map: "object",
  slice: "array",
  string: "string",
  bool: "bool",
  int64: "number",
  float64: "number",
} as const;

/** Applies a patch to an object of the request's version and decodes what it made. Throws what kube-apiserver answers. */
function patchObject(
  request: ApiRequest,
  resource: ServedResource,
  current: JsonValue,
  patch: JsonValue,
  type: PatchType,
  options: WriteOptions,
): KubeObject {
  const { codec } = resource;
  const patched = applyPatch(current, patch, type, () => fromSchema(codec.schema));
  const problem = (text: string) => patchRefusal(patch, patched, type, text);
  const mismatch = type === STRATEGIC ? unstructuredMismatch(patched, codec.schema) : undefined;
  if (mismatch !== undefined) throw problem(mismatch);
  try {
    const { object, strictErrors } = codec.decodePatched(patched, options.fieldValidation);
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

/** The 422 for a patch whose outcome is no object of the kind. */
export function patchRefusal(patch: JsonValue, patched: JsonValue, type: PatchType, text: string): StatusError {
  const shown = type === STRATEGIC ? formatGo(patch) : jsonText(topSorted(patched));
  return invalid({ group: "", kind: "" }, "", [invalidValue("patch", shown, text)]);
}

/** The library that applies JSON patches prints the document's own fields sorted. */
function topSorted(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function applyPatch(
  current: JsonValue,
  patch: JsonValue,
  type: PatchType,
  schema: () => ReturnType<typeof fromSchema> | undefined,
): JsonValue {
  try {
    switch (type) {
      case "application/json-patch+json":
        return applyJsonPatch(current, patch);
      case "application/merge-patch+json":
        return applyMergePatch(current, patch);
      case "application/strategic-merge-patch+json":
        if (!isJsonObject(current) || !isJsonObject(patch)) throw badRequest("a strategic merge patch is an object");
        return strategicMergePatch(current, patch, schema());
    }
  } catch (error) {
    throw (isPatchError(error) ? patchErrorStatus(error) : undefined) ?? error;
  }
}
