import type { ScalarSchema, Schema } from "./schema.js";

/** Go's zero value of each scalar, as JSON holds it; null where Go encodes it so. */
export const scalarZero: Readonly<Record<ScalarSchema["scalar"], string | number | boolean | null>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
  bytes: null,
  time: null,
  microTime: null,
  duration: "0s",
  quantity: "0",
  intOrString: 0,
  any: null,
};

const STRUCTS_IN_GO: ReadonlySet<ScalarSchema["scalar"]> = new Set([
  "time",
  "microTime",
  "duration",
  "quantity",
  "intOrString",
]);

/** Whether a scalar is a struct in Go, which omitempty never omits. */
export function isStructInGo(schema: ScalarSchema): boolean {
  // RawExtension and its like have a name; a bare interface{} has none.
  return STRUCTS_IN_GO.has(schema.scalar) || (schema.scalar === "any" && schema.definition !== undefined);
}

/** Whether Go's omitempty leaves the value out: false, 0, "", null, an empty list or map, but never a struct. */
export function isOmitted(value: unknown, schema: Schema): boolean {
  switch (schema.type) {
    case "struct":
      return false;
    case "map":
      return value === undefined || value === null || Object.keys(value).length === 0;
    case "list":
      return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    case "scalar":
      if (isStructInGo(schema)) return false;
      return value === undefined || value === null || value === "" || value === 0 || value === 0n || value === false;
  }
}
