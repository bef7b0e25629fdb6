import type { Field, StructSchema, Schema } from "./schema.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { structOfFields } from "./build-schema.js";

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

/** The fields in the byte order of their names, and those of the structs in them, except of fields that are written as they are. */
export const sortedFields = (fields: readonly Field[]): readonly Field[] =>
  fields
    .map((field) => (field.asIs === true ? field : { ...field, schema: sorted(field.schema) }))
    .sort((a, b) => compareKeys(a.name, b.name));

const known = new WeakMap<StructSchema, StructSchema>();

function sorted(schema: Schema): Schema {
  switch (schema.type) {
    case "struct": {
      const made = known.get(schema) ?? {
        ...schema,
        ...structOfFields(schema.name, schema.definition, sortedFields(schema.fields)),
      };
      known.set(schema, made);
      return made;
    }
    case "list":
      return { ...schema, items: sorted(schema.items) };
    case "map":
      return { ...schema, values: sorted(schema.values) };
    case "scalar":
      return schema;
  }
}
