import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { Field, ScalarSchema, Schema, StructSchema } from "../../machinery/schema/schema.js";

/** The schema of a type that is read from a file and is no resource. `goType` is Go's name for it, with its package, as errors show it. */
export function fileStruct(goType: string, fields: Readonly<Record<string, Schema>>): StructSchema {
  const all = Object.entries(fields).map(([name, schema]) => fieldOf(name, schema));
  return {
    type: "struct",
    name: goType.replace(/^.*\./, ""),
    definition: "",
    goType,
    fields: all,
    byName: new Map(all.map((field) => [field.name, field])),
  };
}

export const fileScalar = (scalar: ScalarSchema["scalar"]): ScalarSchema => ({ type: "scalar", scalar });

export const TEXT = fileScalar("string");
export const FLAG = fileScalar("bool");

/** The fields that every kind begins with. */
export const TYPE_META = { apiVersion: TEXT, kind: TEXT } satisfies FieldsOf<ApiObject>;

/** Every field may be left out, and keeps its value where it is there: false and "" differ from a field that is left out. */
const fieldOf = (name: string, schema: Schema): Field => ({
  name,
  schema,
  omitEmpty: true,
  omitZero: false,
  pointer: true,
  required: false,
});
