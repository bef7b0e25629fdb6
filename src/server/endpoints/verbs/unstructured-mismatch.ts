import type { JsonValue } from "../../../machinery/meta/json.js";
import { ownValue } from "../../../machinery/wire/json/own-keys.js";
import { kindOf } from "../../../machinery/patch/json-values.js";
import type { ScalarSchema, Schema } from "../../../machinery/schema/schema.js";

/**
 * What apimachinery's converter says of the first value that does not fit its type. A strategic merge patch goes from
 * a map straight into the type, so a wrong value is told in other words than one in a body. Undefined when the converter
 * leaves the words to the type itself (quantities, times).
 */
export function unstructuredMismatch(value: JsonValue | undefined, schema: Schema): string | undefined {
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
