import { isFields } from "../meta/access.js";
import type { TypedStruct } from "../schema/declarations.js";
import type { ScalarSchema, Schema, StructSchema } from "../schema/schema.js";
import { ownValue, setKey } from "../wire/json/own-keys.js";

/** Copies the fields of a value that a struct has with the same name and type, at every depth. The result shares nothing with it. */
export function defaultConvert<T>(value: object, target: TypedStruct<T>): Partial<T> {
  return structOf(value, target) as Partial<T>;
}

function structOf(value: object, struct: StructSchema): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const { name, schema } of struct.fields) {
    const copied = copyOf(ownValue(value, name), schema);
    if (copied !== undefined) setKey(result, name, copied);
  }
  return result;
}

/** Undefined where the value is of another type. */
function copyOf(value: unknown, schema: Schema): unknown {
  if (value === undefined || value === null) return undefined;
  switch (schema.type) {
    case "struct":
      return isFields(value) ? structOf(value, schema) : undefined;
    case "list": {
      if (!Array.isArray(value)) return undefined;
      const items = value.map((item) => copyOf(item, schema.items));
      return items.includes(undefined) ? undefined : items;
    }
    case "map": {
      if (!isFields(value)) return undefined;
      const entries = Object.entries(value).map(([key, held]) => [key, copyOf(held, schema.values)] as const);
      return entries.some(([, held]) => held === undefined) ? undefined : Object.fromEntries(entries);
    }
    case "scalar":
      return fits(value, schema) ? structuredClone(value) : undefined;
  }
}

function fits(value: unknown, { scalar }: ScalarSchema): boolean {
  const type = typeof value;
  switch (scalar) {
    case "bool":
      return type === "boolean";
    case "int32":
    case "int64":
      return type === "bigint" || Number.isInteger(value);
    case "float64":
      return type === "number";
    case "any":
      return true;
    case "quantity":
    case "intOrString":
      return type === "string" || type === "number";
    case "string":
    case "bytes":
    case "time":
    case "microTime":
    case "duration":
      return type === "string";
  }
}
