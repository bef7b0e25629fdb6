import { decodeJson, JsonDecodeError } from "../../../machinery/codec/json-decoder.js";
import { jsonText } from "../representation/json-text.js";
import { UnmarshalError } from "../../../machinery/codec/strict-decode.js";
import { invalidValue } from "../../../machinery/errors/field-error.js";
import {
  badRequest,
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
import type { Updater } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import { parseMediaType } from "../negotiation/media-type.js";
import { BODY_LIMIT } from "../negotiation/request-body.js";
import { writeOptions, type WriteOptions } from "../options/write-options.js";
import type { ServedResource } from "../served-resource.js";
import { respondObject } from "./answer.js";
import { checkName } from "./check-name.js";
import { unstructuredMismatch } from "./unstructured-mismatch.js";
import { admitter, objectFormat, scopeOf } from "./scope.js";

export const PATCH_TYPES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
] as const;

type PatchType = (typeof PATCH_TYPES)[number];

const STRATEGIC = "application/strategic-merge-patch+json";

/** PATCH of an object or of its status. */
export async function handlePatch(
  request: ApiRequest,
  resource: ServedResource,
  storage: Updater,
  subresource?: "status",
): Promise<void> {
  const type = patchTypeOf(request);
  const format = objectFormat(request.exchange);
  const bytes = await request.exchange.body(BODY_LIMIT);
  const options = writeOptions(request.exchange.query, "PatchOptions");
  const patch = decodePatch(bytes, type);
  const { info } = request;
  const result = await storage.update(
    scopeOf(request, options.dryRun),
    info.name,
    (current) => {
      if (current === undefined) throw notFound({ group: info.apiGroup, resource: info.resource }, info.name);
      // From the bytes of an answer: empty structs are there for a patch to reach into, as clients saw them.
      const { value } = decodeJson(resource.codec.encodeStored(current));
      const object = patchObject(request, resource, value, patch, type, options);
      checkName(object, info);
      return Promise.resolve(resource.codec.toHub(object));
    },
    { subresource, admit: admitter(request, resource, options.dryRun).update },
  );
  await respondObject(request, resource, format, result.created ? 201 : 200, result.object);
}

/** The type of a patch by its content type; 415 for one that this resource cannot take. */
export function patchTypeOf(request: ApiRequest): PatchType {
  const { type } = parseMediaType(request.exchange.headers["content-type"] ?? "");
  const known = PATCH_TYPES.find((one) => one === type);
  if (known !== undefined) return known;
  const note = type === "application/apply-patch+yaml" ? " (this server does not support server-side apply)" : "";
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${PATCH_TYPES.join(", ")}${note}`,
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
