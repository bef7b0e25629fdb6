import type { JsonObject, JsonValue } from "../meta/json.js";
import { keywordsOf, type ValueRules } from "../schema/declarations.js";
import type { Field, ScalarSchema, Schema, StructSchema } from "../schema/schema.js";

/** What OpenAPI says of the fields that every object has. */
export type MetaDeclaration = {
  readonly [Name in "apiVersion" | "kind" | "metadata"]?: ValueRules & { readonly required?: boolean };
};

/**
 * The openAPIV3Schema of a whole object whose fields beside apiVersion, kind and metadata are `content`: what a
 * CustomResourceDefinition says of it. Throws for a struct that contains itself, which such a schema cannot say.
 */
export function openApiOfContent(content: StructSchema, meta: MetaDeclaration = {}): JsonObject {
  const { required = [], properties, ...schema } = openApiOf(content, []);
  const needed = META_FIELDS.filter((name) => meta[name]?.required === true);
  const all = [...needed, ...(required as readonly string[])].toSorted();
  return {
    ...schema,
    ...(all.length > 0 && { required: all }),
    properties: {
      apiVersion: { type: "string", ...keywordsOf(meta.apiVersion ?? {}) },
      kind: { type: "string", ...keywordsOf(meta.kind ?? {}) },
      metadata: { type: "object", ...keywordsOf(meta.metadata ?? {}) },
      ...(properties as JsonObject | undefined),
    },
  };
}

const META_FIELDS = ["apiVersion", "kind", "metadata"] as const;

function openApiOf(schema: Schema, outer: readonly StructSchema[]): JsonObject {
  const { openApi } = schema;
  return openApi === undefined ? typeOf(schema, outer) : { ...typeOf(schema, outer), ...openApi };
}

function typeOf(schema: Schema, outer: readonly StructSchema[]): JsonObject {
  switch (schema.type) {
    case "struct":
      return structOf(schema, outer);
    case "list":
      return {
        type: "array",
        items: openApiOf(schema.items, outer),
        ...(schema.listType !== undefined && { "x-kubernetes-list-type": schema.listType }),
        ...(schema.listMapKeys !== undefined && { "x-kubernetes-list-map-keys": [...schema.listMapKeys] }),
      };
    case "map":
      return {
        type: "object",
        additionalProperties: openApiOf(schema.values, outer),
        ...(schema.mapType !== undefined && { "x-kubernetes-map-type": schema.mapType }),
      };
    case "scalar":
      return scalarOf(schema);
  }
}

function structOf(struct: StructSchema, outer: readonly StructSchema[]): JsonObject {
  if (outer.some(({ fields }) => fields === struct.fields)) {
    throw new Error(`${struct.name} contains itself, which a structural schema cannot say`);
  }
  const inner = [...outer, struct];
  const isImplied = ({ name }: Field): boolean => struct.embeddedResource === true && EMBEDDED.has(name);
  const fields = struct.fields.filter((field) => !isImplied(field));
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const properties = fields.map((field): [string, JsonValue] => [field.name, propertyOf(field, inner)]);
  return {
    type: "object",
    ...(required.length > 0 && { required: required.toSorted() }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(struct.preservesUnknownFields === true && { "x-kubernetes-preserve-unknown-fields": true }),
    ...(struct.embeddedResource === true && { "x-kubernetes-embedded-resource": true }),
    ...(struct.mapType !== undefined && { "x-kubernetes-map-type": struct.mapType }),
  };
}

const EMBEDDED: ReadonlySet<string> = new Set(META_FIELDS);

function propertyOf(field: Field, outer: readonly StructSchema[]): JsonObject {
  const schema = openApiOf(field.schema, outer);
  return field.default === undefined ? schema : { ...schema, default: field.default as JsonValue };
}

const INT_OR_STRING: JsonObject = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  "x-kubernetes-int-or-string": true,
};

const SCALARS: Readonly<Record<ScalarSchema["scalar"], JsonObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float64: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  time: { type: "string", format: "date-time" },
  microTime: { type: "string", format: "date-time" },
  duration: { type: "string" },
  quantity: INT_OR_STRING,
  intOrString: INT_OR_STRING,
  any: { "x-kubernetes-preserve-unknown-fields": true },
};

function scalarOf({ scalar, enum: values, hasNoFormat }: ScalarSchema): JsonObject {
  const { format, ...rest } = SCALARS[scalar];
  return {
    ...rest,
    ...(format !== undefined && hasNoFormat !== true && { format }),
    ...(values !== undefined && { enum: [...values] }),
  };
}
