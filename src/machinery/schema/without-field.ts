import type { Field, StructSchema } from "./schema.js";

/** The schema but for the field at `path`, so that an encoder that uses it leaves the field out. Shares what it keeps. */
export function withoutField(schema: StructSchema, [name = "", ...rest]: readonly string[]): StructSchema {
  const change = (field: Field): readonly Field[] => {
    if (field.name !== name) return [field];
    if (rest.length === 0) return [];
    return field.schema.type === "struct" ? [{ ...field, schema: withoutField(field.schema, rest) }] : [field];
  };
  const fields = schema.fields.flatMap(change);
  return { ...schema, fields, byName: new Map(fields.map((field) => [field.name, field])) };
}
