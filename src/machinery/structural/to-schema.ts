import type { Field, ListSchema, Schema, StructSchema } from "../schema/schema.js";
import { anyJson, boolean, embeddedFields, float64, int64, intOrString, string } from "../schema/build-schema.js";
import type { JsonObject } from "../meta/json.js";
import { publishedSchema } from "./publish.js";
import type { StructuralSchema } from "./structural-schema.js";
import { append } from "../../base/collections/append.js";
import { goQuote } from "../../base/text/go-quote.js";
import { formatFieldError } from "../errors/field-error.js";
import { removeNulls } from "./apply-defaults.js";
import { coerceMetadata } from "./coerce-metadata.js";
import { prune } from "./pruning.js";

/** Without the schema of ObjectMeta the metadata of embedded resources is free-form JSON. */
export interface ContentSchemaOptions extends ConformOptions {
  /** False for a schema that OpenAPI cannot show. Default: true. */
  readonly isPublished?: () => boolean;
  /** The paths of its selectableFields. Default: none. */
  readonly selectableFields?: readonly string[];
}

/**
 * The fields of a custom resource beside apiVersion, kind and metadata as a schema of ours: what server-side apply, patches, strict
 * decoding and field sets read. `name` is the kind, as errors show it. `structural` is called, and structs are made, when they are
 * first asked for.
 */
export function contentSchemaOf(
  structural: () => StructuralSchema,
  name: string,
  options: ContentSchemaOptions = {},
): StructSchema {
  const content = lazyStruct(name, () =>
    propertyFields(structural(), options)
      .filter((field) => !META_FIELDS.has(field.name))
      .map((field) => ({ ...field, asIs: true })),
  );
  return {
    type: "struct",
    name,
    definition: "",
    get fields() {
      return content.fields;
    },
    get byName() {
      return content.byName;
    },
    get preservesUnknownFields() {
      return structural().preservesUnknownFields || undefined;
    },
    published: (form) => (options.isPublished?.() === false ? undefined : publishedSchema(structural(), form)),
    selectableFields: options.selectableFields,
    isUnstructured: true,
    conform: (object) => conform(object as JsonObject, structural(), options),
  };
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

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

function structOf(structural: StructuralSchema, name: string, options: ContentSchemaOptions): StructSchema {
  const { mapType, preservesUnknownFields, additionalProperties, embeddedResource } = structural;
  return lazyStruct(name, () => fieldsOf(structural, options), {
    ...mapTypeOf(mapType),
    ...((preservesUnknownFields || additionalProperties === true) && { preservesUnknownFields: true }),
    ...(embeddedResource && { embeddedResource: true }),
  });
}

const mapTypeOf = (mapType: string | undefined): { readonly mapType?: "atomic" | "granular" } =>
  mapType === "atomic" || mapType === "granular" ? { mapType } : {};

/** The fields of an object, and what an embedded resource has by being one. */
function fieldsOf(structural: StructuralSchema, options: ContentSchemaOptions): readonly Field[] {
  const own = propertyFields(structural, options);
  if (!structural.embeddedResource) return own;
  return [...embeddedFields(options.objectMeta ?? anyJson), ...own.filter(({ name }) => !META_FIELDS.has(name))];
}

function propertyFields({ properties, validation }: StructuralSchema, options: ContentSchemaOptions): readonly Field[] {
  return [...properties].map(([name, structural]) => {
    const schema = schemaOf(structural, name, options);
    return {
      name,
      schema,
      required: validation.required.includes(name),
      // As for a Go pointer: absent and empty are two things.
      pointer: true,
      omitEmpty: true,
      omitZero: false,
      ...(structural.default !== undefined && { default: structural.default }),
    };
  });
}

/** A struct whose fields are made when they are first asked for. */
function lazyStruct(name: string, make: () => readonly Field[], rest: Partial<StructSchema> = {}): StructSchema {
  let fields: readonly Field[] | undefined;
  let byName: ReadonlyMap<string, Field> | undefined;
  const all = (): readonly Field[] => {
    fields ??= make();
    return fields;
  };
  return {
    ...rest,
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
  };
}

interface ConformOptions {
  /** meta/v1 ObjectMeta, of which embedded resources have one. Absent: theirs is not looked at. */
  readonly objectMeta?: StructSchema | undefined;
  /** Drops metadata of embedded resources that cannot be read, as is done with stored objects. Else it is an error. */
  readonly dropInvalidMetadata?: boolean;
}

/**
 * Makes a decoded custom resource conform to its schema, in place: removes fields that are not specified, nulls that are not allowed,
 * and what embedded metadata does not have. Returns the strict errors (`unknown field "spec.foo"`). Throws with the text of a field
 * error for embedded metadata that cannot be read. Source: apiextensions' unstructuredSchemaCoercer.
 */
function conform(object: JsonObject, schema: StructuralSchema, options: ConformOptions = {}): string[] {
  const unknown = prune(object, schema, { isResourceRoot: true });
  removeNulls(object, schema);
  const { objectMeta, dropInvalidMetadata = false } = options;
  if (objectMeta !== undefined) {
    const coerced = coerceMetadata(object, schema, { objectMeta, dropInvalid: dropInvalidMetadata });
    if (coerced.error !== undefined) throw new Error(formatFieldError(coerced.error));
    append(unknown, coerced.unknown);
  }
  return unknown.map((path) => `unknown field ${goQuote(path)}`);
}
