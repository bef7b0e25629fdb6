import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from "./schema.js";
import { compareKeys } from "../../base/collections/key-order.js";

/** How a field is declared in {@link struct}: its type, and what differs from an optional field that is left out when empty. */
export type FieldDeclaration =
  | Schema
  | {
      readonly schema: Schema;
      /** OpenAPI lists it as required. Decoding does not ask for it: that is validation's. */
      readonly required?: boolean;
      /** Filled in where the field is left out. JSON. */
      readonly default?: unknown;
    };

/** How a struct is not as usual. */
export interface StructOptions {
  /** Keeps fields that are not declared, as they are (x-kubernetes-preserve-unknown-fields). */
  readonly preservesUnknownFields?: boolean;
  /**
   * The struct is an object of any kind (x-kubernetes-embedded-resource): it gets the fields kind, apiVersion and metadata,
   * the last of this schema (meta/v1 ObjectMeta).
   */
  readonly embeddedResource?: { readonly metadata: StructSchema };
}

/**
 * A struct of named fields, in the order they are encoded. `name` is the type's name ("WidgetSpec"), as errors show it. A
 * field that is left out stays left out, and one that is set to "", 0 or false stays set. OpenAPI describes the struct in
 * its place, under no name.
 */
export function struct(
  name: string,
  fields: Readonly<Record<string, FieldDeclaration>>,
  { preservesUnknownFields, embeddedResource }: StructOptions = {},
): StructSchema {
  const declared =
    embeddedResource === undefined
      ? fields
      : { ...EMBEDDED, metadata: embeddedResource.metadata, ...without(fields, EMBEDDED_NAMES) };
  return {
    ...structOfFields(
      name,
      "",
      Object.entries(declared).map(([field, declaration]) => fieldOf(field, declaration)),
    ),
    ...(preservesUnknownFields === true && { preservesUnknownFields }),
    ...(embeddedResource !== undefined && { embeddedResource: true }),
  };
}

/** A struct of ready-made fields. `definition` is the name that OpenAPI has for it. */
export function structOfFields(name: string, definition: string, fields: readonly Field[]): StructSchema {
  return { type: "struct", name, definition, fields, byName: new Map(fields.map((field) => [field.name, field])) };
}

function fieldOf(name: string, declaration: FieldDeclaration): Field {
  const { schema, required = false, ...rest } = "type" in declaration ? { schema: declaration } : declaration;
  // As for a Go pointer: absent and empty are two things.
  const pointer = schema.type === "scalar" || schema.type === "struct";
  return { name, schema, required, pointer, omitEmpty: true, omitZero: false, ...rest };
}

function without(
  fields: Readonly<Record<string, FieldDeclaration>>,
  names: ReadonlySet<string>,
): Readonly<Record<string, FieldDeclaration>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

const scalar = (type: ScalarSchema["scalar"]): ScalarSchema => ({ type: "scalar", scalar: type });

export const string: ScalarSchema = scalar("string");
export const boolean: ScalarSchema = scalar("bool");
export const int32: ScalarSchema = scalar("int32");
export const int64: ScalarSchema = scalar("int64");
export const float64: ScalarSchema = scalar("float64");
/** RFC 3339, seconds. */
export const time: ScalarSchema = scalar("time");
/** "500m", "1Gi". */
export const quantity: ScalarSchema = scalar("quantity");
/** x-kubernetes-int-or-string. */
export const intOrString: ScalarSchema = { ...scalar("intOrString"), inPlace: true };
/** JSON of any form, owned as one value. */
export const anyJson: ScalarSchema = scalar("any");

/** What an embedded resource has beside its metadata. */
const EMBEDDED: Readonly<Record<string, FieldDeclaration>> = {
  kind: { schema: string, required: true },
  apiVersion: { schema: string, required: true },
};
const EMBEDDED_NAMES: ReadonlySet<string> = new Set([...Object.keys(EMBEDDED), "metadata"]);

/** The fields of an object of any kind, ready-made. */
export const embeddedFields = (metadata: Schema): readonly Field[] =>
  Object.entries({ ...EMBEDDED, metadata }).map(([name, declaration]) => fieldOf(name, declaration));

/** A list; server-side apply tells the items of a "map" apart by `keys`, those of a "set" by their value. */
export function list(
  items: Schema,
  { listType, keys }: { readonly listType?: ListSchema["listType"]; readonly keys?: readonly string[] } = {},
): ListSchema {
  return { type: "list", items, listType, listMapKeys: keys };
}

/** A map from strings. */
export const map = (values: Schema): MapSchema => ({ type: "map", values });

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
