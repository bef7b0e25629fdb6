import { compareKeys } from "../../base/collections/key-order.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import {
  type FieldDeclaration,
  type FieldsOf,
  type ItemDeclaration,
  keywordsOf,
  schemaOfDeclaration,
  type TypedList,
  type TypedMap,
  type TypedScalar,
  type TypedStruct,
  type ValueOf,
  type ValueRules,
} from "./declarations.js";
import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from "./schema.js";

/** The options of an unusual struct: what OpenAPI says of it wherever it is used, and rules in CEL about its fields together. */
export interface StructOptions
  extends Pick<ValueRules, "description" | "minProperties" | "maxProperties" | "rules" | "openApi"> {
  /** Keeps fields that are not declared, as they are (x-kubernetes-preserve-unknown-fields). */
  readonly preservesUnknownFields?: boolean;
  /**
   * The struct is an object of any kind (x-kubernetes-embedded-resource): it gets the fields kind, apiVersion and metadata,
   * the last of this schema (meta/v1 ObjectMeta), or JSON of any form for `true`.
   */
  readonly embeddedResource?: true | { readonly metadata: StructSchema };
  /** Server-side apply owns an "atomic" struct as one value. Default: field by field. */
  readonly mapType?: StructSchema["mapType"];
}

/** The TypeScript type of a struct that keeps fields that are not declared. */
type Kept<Fields, O> = O extends { readonly preservesUnknownFields: true }
  ? Fields & { [field: string]: unknown }
  : Fields;

/**
 * A struct of named fields, in the order they are encoded. `name` is the type's name ("WidgetSpec"), as errors show it. A
 * field that is left out stays left out, and one that is set to "", 0 or false stays set. OpenAPI describes the struct in
 * its place, under no name.
 */
export function struct<const F extends Readonly<Record<string, FieldDeclaration>>, const O extends StructOptions = {}>(
  name: string,
  fields: F,
  options?: O,
): TypedStruct<Kept<FieldsOf<F>, O>> {
  const { preservesUnknownFields, embeddedResource, mapType, ...rules }: StructOptions = options ?? {};
  const declared: Readonly<Record<string, FieldDeclaration>> =
    embeddedResource === undefined
      ? fields
      : {
          ...EMBEDDED,
          metadata: embeddedResource === true ? anyJson : embeddedResource.metadata,
          ...without(fields, EMBEDDED_NAMES),
        };
  const openApi = keywordsOf(rules);
  return {
    ...structOfFields(
      name,
      "",
      Object.entries(declared).map(([field, declaration]) => fieldOf(field, declaration)),
    ),
    ...(preservesUnknownFields === true && { preservesUnknownFields }),
    ...(embeddedResource !== undefined && { embeddedResource: true }),
    ...(mapType !== undefined && { mapType }),
    ...(openApi !== undefined && { openApi }),
  };
}

/** A struct of ready-made fields. `definition` is the name that OpenAPI has for it. */
export function structOfFields(name: string, definition: string, fields: readonly Field[]): StructSchema {
  return { type: "struct", name, definition, fields, byName: new Map(fields.map((field) => [field.name, field])) };
}

function fieldOf(name: string, declaration: FieldDeclaration): Field {
  const given = "type" in declaration ? { schema: declaration } : declaration;
  const { required = false, omitEmpty = true, number } = given;
  const schema = schemaOfDeclaration(declaration);
  // As for a Go pointer, absent and empty are two things, unless the field is always written.
  const pointer = omitEmpty && (schema.type === "scalar" || schema.type === "struct");
  return {
    name,
    schema,
    required,
    pointer,
    omitEmpty,
    omitZero: false,
    ...(given.default !== undefined && { default: given.default }),
    ...(number !== undefined && { protobuf: number }),
  };
}

function without(
  fields: Readonly<Record<string, FieldDeclaration>>,
  names: ReadonlySet<string>,
): Readonly<Record<string, FieldDeclaration>> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

const scalar = <Value>(type: ScalarSchema["scalar"]): TypedScalar<Value> => ({ type: "scalar", scalar: type });

export const string: TypedScalar<string> = scalar("string");
export const boolean: TypedScalar<boolean> = scalar("bool");
export const int32: TypedScalar<number> = scalar("int32");
export const int64: TypedScalar<number> = scalar("int64");
export const float64: TypedScalar<number> = scalar("float64");
/** A whole number of 64 bits for which OpenAPI states no format. */
export const integer: TypedScalar<number> = { ...scalar<number>("int64"), hasNoFormat: true };
/** A number for which OpenAPI states no format. */
export const number: TypedScalar<number> = { ...scalar<number>("float64"), hasNoFormat: true };
/** Bytes, as base64 in JSON. */
export const bytes: TypedScalar<string> = scalar("bytes");
/** RFC 3339, seconds. */
export const time: TypedScalar<string> = scalar("time");
/** "500m", "1Gi". */
export const quantity: TypedScalar<string> = scalar("quantity");
/** x-kubernetes-int-or-string. */
export const intOrString: TypedScalar<number | string> = { ...scalar<number | string>("intOrString"), inPlace: true };
/** JSON of any form, owned as one value. */
export const anyJson: TypedScalar<JsonValue> = scalar("any");
/** An object with any fields. */
export const anyObject: TypedStruct<JsonObject> = {
  ...structOfFields("Object", "", []),
  preservesUnknownFields: true,
};

/** What an embedded resource has beside its metadata. */
const EMBEDDED: Readonly<Record<string, FieldDeclaration>> = {
  kind: { schema: string, required: true },
  apiVersion: { schema: string, required: true },
};
const EMBEDDED_NAMES: ReadonlySet<string> = new Set([...Object.keys(EMBEDDED), "metadata"]);

/** The fields of an object of any kind, ready-made. */
export const embeddedFields = (metadata: Schema): readonly Field[] =>
  Object.entries({ ...EMBEDDED, metadata }).map(([name, declaration]) => fieldOf(name, declaration));

/** A list. Server-side apply identifies the items of a "map" by `keys`, those of a "set" by their value. */
export function list<const D extends ItemDeclaration>(
  items: D,
  { listType, keys }: { readonly listType?: ListSchema["listType"]; readonly keys?: readonly string[] } = {},
): TypedList<ValueOf<D>> {
  return { type: "list", items: schemaOfDeclaration(items), listType, listMapKeys: keys };
}

/** A map from strings. Server-side apply owns an "atomic" one as one value. */
export const map = <const D extends ItemDeclaration>(
  values: D,
  { mapType }: { readonly mapType?: MapSchema["mapType"] } = {},
): TypedMap<ValueOf<D>> => ({
  type: "map",
  values: schemaOfDeclaration(values),
  ...(mapType !== undefined && { mapType }),
});

/** Returns the schema without the field at `path`, so that an encoder omits the field. It shares the remaining parts. */
export function withoutField(schema: StructSchema, [name = "", ...rest]: readonly string[]): StructSchema {
  const change = (field: Field): readonly Field[] => {
    if (field.name !== name) return [field];
    if (rest.length === 0) return [];
    return field.schema.type === "struct" ? [{ ...field, schema: withoutField(field.schema, rest) }] : [field];
  };
  const fields = schema.fields.flatMap(change);
  return { ...schema, fields, byName: new Map(fields.map((field) => [field.name, field])) };
}

/** Sorts fields by the bytes of their names, and those of nested structs, except fields that are encoded verbatim. */
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
