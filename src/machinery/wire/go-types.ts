import { dictionary } from "../../base/collections/dictionary.js";
import type { Schema } from "../schema/schema.js";

/** Go's name for a type, as its errors show it. */
export function goTypeOf(schema: Schema): string {
  switch (schema.type) {
    case "struct":
      return schema.goType ?? schema.name;
    case "map":
      return schema.goType ?? `map[string]${goTypeOf(schema.values)}`;
    case "list":
      return schema.goType ?? `[]${goTypeOf(schema.items)}`;
    case "scalar":
      return schema.goType ?? SCALAR_TYPES[schema.scalar] ?? schema.scalar;
  }
}

const SCALAR_TYPES: Readonly<Record<string, string>> = dictionary({
  bytes: "[]uint8",
  time: "v1.Time",
  microTime: "v1.MicroTime",
  duration: "v1.Duration",
  quantity: "resource.Quantity",
  intOrString: "intstr.IntOrString",
  any: "interface {}",
});

/** Go's word for a JSON value of the wrong type: "string", "number", "bool", "array", "object". */
export function goValueOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
