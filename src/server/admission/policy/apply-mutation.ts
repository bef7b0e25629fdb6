import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ApiObject } from "../../../machinery/meta/object.js";
import { MadeObject, MadePatch, typeNameProblems } from "../../../machinery/cel/kubernetes/mutation-types.js";
import { NotJsonError, valueToJson } from "../../../machinery/cel/kubernetes/to-json.js";
import { ListValue } from "../../../machinery/cel/values/list.js";
import type { Value } from "../../../machinery/cel/values/value.js";
import { type JsonObject, type JsonValue, isJsonObject } from "../../../machinery/meta/json.js";
import { jsonPatchSteps } from "../../../machinery/patch/json-patch.js";
import { isPatchError } from "../../../machinery/patch/patch-error.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { TypeMismatch } from "../../../machinery/apply/apply-error.js";
import { merge } from "../../../machinery/apply/merge.js";
import { describe, type TypeDescriptor } from "../../../machinery/apply/type-descriptor.js";
import { validate } from "../../../machinery/apply/validate.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";

/** A policy may have as many operations as it can pay for. */
const LIMITS = { maxOperations: Number.POSITIVE_INFINITY, maxCopiedBytes: 3 * 1024 * 1024 };

/**
 * Applies the result of a JSONPatch expression to an object. Where a `test` of the patch fails the object stays unchanged. Rejects
 * with an Error in kube-apiserver's words.
 */
export async function applyMadePatch(object: JsonObject, patch: Value): Promise<JsonValue> {
  const operations = operationsOf(patch);
  try {
    return await inSlices(jsonPatchSteps(object, operations, LIMITS));
  } catch (error) {
    if (!isPatchError(error)) throw error;
    if (error.message.endsWith(": test failed")) return object;
    throw new Error(`JSON Patch: ${error.message}`, { cause: error });
  }
}

function operationsOf(patch: Value): JsonObject[] {
  if (!(patch instanceof ListValue)) {
    throw new Error("type mismatch: JSONPatchType.expression should evaluate to array");
  }
  return patch.toArray().map((one) => {
    if (!(one instanceof MadePatch)) {
      throw new Error("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
    }
    return {
      op: one.op,
      path: one.path,
      ...(one.from !== "" && { from: one.from }),
      ...(one.value !== undefined && { value: patchValue(one.value) }),
    };
  });
}

function patchValue(value: Value): JsonValue {
  const problems = value instanceof MadeObject ? typeNameProblems(value, value.type.name) : [];
  if (problems.length > 0) throw new Error(`type mismatch: ${problems.join("\n")}`);
  try {
    return valueToJson(value);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    const text = "JSONPath valueExpression evaluated to a type that could not marshal to JSON";
    throw new Error(`${text}: ${error.message}`, { cause: error });
  }
}

/**
 * Merges the result of an ApplyConfiguration expression into an object as server-side apply does. Throws an Error in
 * kube-apiserver's words for fields that the kind lacks, and for atomic parts.
 */
export function applyConfiguration(object: JsonObject, configuration: Value, schema: StructSchema): JsonObject {
  if (!(configuration instanceof MadeObject))
    throw new Error("unsupported return type from ApplyConfiguration expression");
  const problems = typeNameProblems(configuration);
  if (problems.length > 0) throw new Error(`type mismatch: ${problems.join("\n")}`);
  const { apiVersion, kind } = object;
  const patch = { ...configurationJson(configuration), apiVersion, kind } satisfies FieldsOf<ApiObject> as JsonObject;
  const type = describe(schema);
  const step = <T>(what: string, run: () => T): T => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
      throw new Error(`error applying patch: ${what}: ${error.message}`);
    }
  };
  step("failed to convert patch object to typed object", () => validate(patch, type));
  const atomics = atomicParts(patch, type, "");
  if (atomics.length > 0) {
    const text = `may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`;
    throw new Error(`error applying patch: invalid ApplyConfiguration: ${text}`);
  }
  step("failed to convert original object to typed object", () => validate(object, type, { allowDuplicates: true }));
  return step("failed to merge patch", () => merge(object, patch, type));
}

function configurationJson(configuration: MadeObject): JsonObject {
  try {
    return valueToJson(configuration) as JsonObject;
  } catch (error) {
    if (error instanceof NotJsonError) throw new Error(`invalid return type: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The paths of all parts that would be replaced as a whole: what the policy does not name in them would be lost. */
function atomicParts(value: JsonValue, type: TypeDescriptor, path: string): string[] {
  if (isJsonObject(value) && type.map !== undefined) {
    const { map } = type;
    const inside = Object.entries(value).flatMap(([key, field]) => {
      const declared = map.field(key);
      return declared === undefined ? [] : atomicParts(field, declared, `${path}.${key}`);
    });
    return map.atomic ? [path, ...inside] : inside;
  }
  if (Array.isArray(value) && type.list !== undefined) {
    const { list } = type;
    const inside = value.flatMap((item, index) => atomicParts(item, list.items, `${path}[${index}]`));
    return list.associative ? inside : [path, ...inside];
  }
  return [];
}
