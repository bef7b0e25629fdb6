import type { Release } from "../../../api/facts/index.js";
import type { Steps } from "../../../base/async/steps.js";
import { decodeJsonSteps, JsonDecodeError, maxBodyDepth } from "../../../machinery/wire/json/json-decoder.js";
import { repeatedFields } from "../../../machinery/wire/json/exact-json.js";
import { decodeObject, UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import { badRequest, unsupportedMediaType } from "../../../machinery/errors/status-error.js";
import { isJsonObject, type JsonValue } from "../../../machinery/meta/json.js";
import { kindOf } from "../../../machinery/patch/json-values.js";
import type { Field, ScalarSchema, StructSchema } from "../../../machinery/schema/schema.js";
import type { FieldValidation } from "../representation/version-codec.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { ServedResource } from "../served-resource.js";
import { parseMediaType } from "../negotiation/media-type.js";

/** A patch as it was sent. */
export interface DecodedPatch {
  readonly value: JsonValue;
  /** `duplicate field "data.a"`, `json patch unknown field "[0].foo"`; none where the request does not ask for them. */
  readonly strictErrors: readonly string[];
}

/**
 * Passes a patch to the audit log. Since Kubernetes 1.37 (K37-106) the log has only JSON: for a body that is not JSON, of any patch but an
 * apply, it throws a 400 if the request is audited.
 */
export function auditPatch(
  { audit }: ApiRequest,
  bytes: Uint8Array,
  type: PatchType | typeof APPLY,
  release: Release,
): void {
  if (audit === undefined) return;
  // K37-106
  if (release.atLeast("1.37") && type !== APPLY && !isJson(bytes)) throw badRequest(NOT_JSON);
  audit.patched(bytes);
}

const NOT_JSON = "invalid JSON patch";

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** Reads a patch. Throws kube-apiserver's 400 for a body that is not JSON or of the wrong kind. */
export function* decodePatchSteps(
  bytes: Uint8Array,
  type: PatchType,
  mode: FieldValidation,
  release: Release,
): Steps<DecodedPatch> {
  const prefix = type === STRATEGIC ? "" : "error decoding patch: ";
  try {
    const { value, duplicates } = yield* decodeJsonSteps(bytes, { maxDepth: maxBodyDepth });
    const list = type === JSON_PATCH;
    if (value !== null && !(list ? Array.isArray(value) : isJsonObject(value))) {
      const goType = list ? "[]handlers.jsonPatchOp" : "map[string]interface {}";
      throw new UnmarshalError(`json: cannot unmarshal ${JSON_WORDS[kindOf(value)]} into Go value of type ${goType}`);
    }
    // Of null, Go makes a list or a map without entries; to merge null is an error of its own.
    const whole = type === STRATEGIC ? (value ?? {}) : value;
    if (mode === "Ignore") return { value: list ? (value ?? []) : whole, strictErrors: [] };
    const repeated = repeatedFields(value, duplicates);
    if (!list) return { value: whole, strictErrors: repeated };
    const operations = Array.isArray(value) ? value : [];
    const strictErrors = [...operations.flatMap(unknownFields), ...repeated].map((text) => `json patch ${text}`);
    return { value: operations, strictErrors };
  } catch (error) {
    // K37-106
    if (error instanceof JsonDecodeError && release.atLeast("1.37") && !isJson(bytes)) throw badRequest(NOT_JSON);
    if (error instanceof JsonDecodeError || error instanceof UnmarshalError) throw badRequest(prefix + error.message);
    throw error;
  }
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

/** What an operation has that none has; throws an UnmarshalError for one whose fields are of other types. */
function unknownFields(operation: JsonValue, index: number): readonly string[] {
  const { strictErrors } = decodeObject(operation, OPERATION, { mode: "Strict" });
  return strictErrors.map((text) => text.replace('"', `"[${index}].`));
}

const field = (name: string, scalar: ScalarSchema["scalar"]): Field => ({
  name,
  schema: { type: "scalar", scalar },
  omitEmpty: false,
  omitZero: false,
  pointer: false,
  required: false,
});

const FIELDS = [field("op", "string"), field("path", "string"), field("from", "string"), field("value", "any")];

/** The type kube-apiserver reads an operation into. */
const OPERATION: StructSchema = {
  type: "struct",
  name: "jsonPatchOp",
  definition: "",
  goType: "handlers.jsonPatchOp",
  fields: FIELDS,
  byName: new Map(FIELDS.map((one) => [one.name, one])),
};

const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const APPLY = "application/apply-patch+yaml";

export const PATCH_TYPES = [JSON_PATCH, "application/merge-patch+json", STRATEGIC] as const;

/** The type of a patch that needs only the patch and the object. */
export type PatchType = (typeof PATCH_TYPES)[number];

/** Returns the type of a patch by its content type. Throws 415 for one that the resource does not support. */
export function patchTypeOf(request: ApiRequest, { codec }: ServedResource): PatchType | typeof APPLY {
  const { type } = parseMediaType(request.exchange.headers["content-type"] ?? "");
  const isCustom = codec.schema.conform !== undefined;
  // A strategic merge reads the patch strategies of Go's types, which a custom resource has none of.
  const known = [...PATCH_TYPES.filter((one) => !isCustom || one !== STRATEGIC), APPLY] as const;
  const found = known.find((one) => one === type);
  if (found !== undefined) return found;
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${known.join(", ")}`,
  );
}
