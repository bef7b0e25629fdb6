import type { Field, ListSchema, Schema, StructSchema } from "../schema/schema.js";
import { anyJson, boolean, embeddedFields, float64, int64, intOrString, string } from "../schema/build-schema.js";
import type { StructuralSchema } from "./structural-schema.js";

export interface ContentSchemaOptions {
  /** meta/v1 ObjectMeta, the metadata of embedded resources. Absent: their metadata is free-form JSON. */
  readonly objectMeta?: StructSchema | undefined;
}

/**
 * The fields of a custom resource beside apiVersion, kind and metadata as a schema of ours: what server-side apply, patches, strict
 * decoding and field sets read. `name` is the kind, as errors show it. Structs are made when they are first asked for.
 */
export function contentSchemaOf(
  structural: StructuralSchema,
  name: string,
  options: ContentSchemaOptions = {},
): StructSchema {
  return structOf({ ...withoutMeta(structural), embeddedResource: false }, name, options);
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** What a struct is made of. */
type ObjectParts = Pick<
  StructuralSchema,
  "properties" | "additionalProperties" | "preservesUnknownFields" | "embeddedResource" | "mapType" | "validation"
>;

function withoutMeta(structural: StructuralSchema): ObjectParts {
  return {
    get properties() {
      return new Map([...structural.properties].filter(([name]) => !META_FIELDS.has(name)));
    },
    additionalProperties: structural.additionalProperties,
    preservesUnknownFields: structural.preservesUnknownFields,
    embeddedResource: structural.embeddedResource,
    mapType: structural.mapType,
    get validation() {
      return structural.validation;
    },
  };
}

function schemaOf(structural: StructuralSchema, name: string, options: ContentSchemaOptions): Schema {
  if (structural.intOrString) return intOrString;
  switch (structural.type) {
    case "string":
      return string;
    case "boolean":
      return boolean;
    case "integer":
      return int64;
    case "number":
      return float64;
    case "array":
      return listOf(structural, name, options);
    case "object":
      return objectOf(structural, name, options);
    default:
      return anyJson;
  }
}

function listOf(structural: StructuralSchema, name: string, options: ContentSchemaOptions): ListSchema {
  const { items, listType, listMapKeys } = structural;
  return {
    type: "list",
    items: items === undefined ? anyJson : schemaOf(items, name, options),
    listType: listType === "set" || listType === "map" ? listType : "atomic",
    ...(listMapKeys.length > 0 && { listMapKeys }),
  };
}

function objectOf(structural: StructuralSchema, name: string, options: ContentSchemaOptions): Schema {
  const { properties, additionalProperties: others, mapType } = structural;
  if (properties.size > 0 || structural.embeddedResource || others === undefined || others === false) {
    if (properties.size > 0 || structural.embeddedResource) return structOf(structural, name, options);
    return structural.preservesUnknownFields ? freeForm(mapType) : structOf(structural, name, options);
  }
  const values: Schema = others === true ? anyJson : schemaOf(others, name, options);
  return { type: "map", values, ...mapTypeOf(mapType) };
}

/** An object that may hold anything, owned key by key unless it is atomic. */
const freeForm = (mapType: string | undefined): Schema =>
  mapType === "atomic" ? { type: "map", values: anyJson, mapType } : anyJson;

function structOf(parts: ObjectParts, name: string, options: ContentSchemaOptions): StructSchema {
  let fields: readonly Field[] | undefined;
  let byName: ReadonlyMap<string, Field> | undefined;
  const all = (): readonly Field[] => {
    fields ??= fieldsOf(parts, options);
    return fields;
  };
  return {
    type: "struct",
    name,
    definition: "",
    get fields() {
      return all();
    },
    get byName() {
      byName ??= new Map(all().map((field) => [field.name, field]));
      return byName;
    },
    ...mapTypeOf(parts.mapType),
    ...((parts.preservesUnknownFields || parts.additionalProperties === true) && { preservesUnknownFields: true }),
    ...(parts.embeddedResource && { embeddedResource: true }),
  };
}

const mapTypeOf = (mapType: string | undefined): { readonly mapType?: "atomic" | "granular" } =>
  mapType === "atomic" || mapType === "granular" ? { mapType } : {};

function fieldsOf(parts: ObjectParts, options: ContentSchemaOptions): Field[] {
  const { required } = parts.validation;
  const own = [...parts.properties].map(([field, structural]): Field => {
    const schema = schemaOf(structural, field, options);
    return {
      name: field,
      schema,
      required: required.includes(field),
      pointer: schema.type === "scalar" || schema.type === "struct",
      // Custom resources keep what is empty: [] and {} are not nothing.
      omitEmpty: false,
      omitZero: false,
      ...(structural.default !== undefined && { default: structural.default }),
    };
  });
  if (!parts.embeddedResource) return own;
  return [...embeddedFields(options.objectMeta ?? anyJson), ...own.filter((field) => !META_FIELDS.has(field.name))];
}
