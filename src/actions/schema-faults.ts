import type { GroupVersionKind } from "../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../machinery/meta/json.js";
import type { ScalarSchema, Schema, StructSchema } from "../machinery/schema/schema.js";
import { compareKeys } from "../base/collections/key-order.js";

/**
 * What is wrong with an object of a built-in kind by its schema: unknown and missing fields, wrong types. In the words
 * of kubectl's own validation, which is lenient: any scalar may stand for a string. Nothing for a kind that is not built in.
 */
export async function schemaFaults(value: JsonValue, kind: GroupVersionKind): Promise<readonly Error[]> {
  const { schemaFor } = await import("../api/facts/index.js");
  const schema = schemaFor(kind);
  if (schema === undefined) return [];
  const faults: Error[] = [];
  walk(value, schema, { path: kind.kind, type: schema.definition, faults });
  return faults;
}

interface Place {
  /** Where in the document. */
  readonly path: string;
  /** Where in the schema. */
  readonly type: string;
  readonly faults: Error[];
}

function walk(value: JsonValue, schema: Schema, place: Place): void {
  if (schema.type === "scalar") return walkScalar(value, schema, place);
  if (schema.type === "list") {
    if (!Array.isArray(value)) return wrongType(value, "array", place);
    value.forEach((item, index) => {
      const path = `${place.path}[${index}]`;
      if (item === null) fault(place, `unknown object type "nil" in ${path}`);
      else walk(item, schema.items, { ...place, path, type: typeOf(schema.items, place.type) });
    });
    return;
  }
  if (!isJsonObject(value)) return wrongType(value, "map", place);
  if (schema.type === "struct") return walkStruct(value, schema, place);
  for (const key of sortedKeys(value)) {
    const path = `${place.path}.${key}`;
    const item = value[key] ?? null;
    if (item === null) place.faults.push(new Error(`unknown object type "nil" in ${path}`));
    else walk(item, schema.values, { ...place, path, type: typeOf(schema.values, place.type) });
  }
}

function walkStruct(value: JsonObject, schema: StructSchema, place: Place): void {
  for (const key of sortedKeys(value)) {
    const item = value[key] ?? null;
    if (item === null) continue;
    const field = schema.byName.get(key);
    if (field === undefined) {
      fault(place, `unknown field "${key}" in ${place.type}`);
      continue;
    }
    const type = typeOf(field.schema, `${place.type}.${key}`);
    walk(item, field.schema, { ...place, path: `${place.path}.${key}`, type });
  }
  for (const field of schema.fields) {
    const missing = !Object.hasOwn(value, field.name) || value[field.name] === null;
    if (field.required && missing) fault(place, `missing required field "${field.name}" in ${place.type}`);
  }
}

function walkScalar(value: JsonValue, schema: ScalarSchema, place: Place): void {
  if (schema.scalar === "any") return;
  const expected = openApiType(schema.scalar);
  const actual = kindOf(value);
  if (actual === "array" || actual === "map") return wrongType(value, expected, place);
  const number = actual === "integer" || actual === "number";
  const fits = expected === "string" || (expected === "boolean" ? actual === "boolean" : number);
  if (!fits) wrongType(value, expected, place);
}

function openApiType(scalar: ScalarSchema["scalar"]): "boolean" | "integer" | "number" | "string" {
  if (scalar === "bool") return "boolean";
  if (scalar === "float64") return "number";
  return scalar === "int32" || scalar === "int64" ? "integer" : "string";
}

/** A struct is known by its own name, everything else by where it stands. */
const typeOf = (schema: Schema, place: string): string => (schema.type === "struct" ? schema.definition : place);

function wrongType(value: JsonValue, expected: string, place: Place): void {
  fault(place, `invalid type for ${place.type}: got "${kindOf(value)}", expected "${expected}"`);
}

function fault(place: Place, message: string): void {
  place.faults.push(new Error(`ValidationError(${place.path}): ${message}`));
}

function kindOf(value: JsonValue): "array" | "map" | "boolean" | "string" | "integer" | "number" {
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "map";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "string";
  return typeof value === "bigint" || Number.isInteger(value) ? "integer" : "number";
}

const sortedKeys = (object: JsonObject): readonly string[] => Object.keys(object).sort(compareKeys);
