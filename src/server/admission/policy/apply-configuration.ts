import { TypeMismatch } from "../../../machinery/apply/apply-error.js";
import { merge } from "../../../machinery/apply/merge.js";
import { describe, type TypeDescriptor } from "../../../machinery/apply/type-descriptor.js";
import { validate } from "../../../machinery/apply/validate.js";
import { MadeObject, typeNameProblems } from "../../../machinery/cel/kubernetes/mutation-types.js";
import { NotJsonError, valueToJson } from "../../../machinery/cel/kubernetes/to-json.js";
import type { Value } from "../../../machinery/cel/values/value.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../machinery/meta/json.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";

/**
 * What the result of an ApplyConfiguration expression makes of an object, merged as server-side apply merges it. Throws an Error in
 * kube-apiserver's words: for fields that the kind does not have, and for parts that are replaced as a whole.
 */
export function applyConfiguration(object: JsonObject, configuration: Value, schema: StructSchema): JsonObject {
  if (!(configuration instanceof MadeObject))
    throw new Error("unsupported return type from ApplyConfiguration expression");
  const problems = typeNameProblems(configuration);
  if (problems.length > 0) throw new Error(`type mismatch: ${problems.join("\n")}`);
  const { apiVersion, kind } = object;
  const patch = { ...configurationJson(configuration), apiVersion, kind } as JsonObject;
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
