import { compareKeys } from "../../base/collections/key-order.js";
import { decodeObject } from "../wire/strict-decode.js";
import { type FieldError, invalidValue } from "../errors/field-error.js";
import { isFields } from "../meta/access.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import type { StructSchema } from "../schema/schema.js";
import { inKeyOrder } from "./problems.js";
import { leadsToEmbedded, type StructuralSchema } from "./structural-schema.js";

export interface CoerceOptions {
  /** meta/v1 ObjectMeta. */
  readonly objectMeta: StructSchema;
  /** Drops what cannot be read instead of answering an error. */
  readonly dropInvalid: boolean;
  /** Of the value; "" or absent for a whole object. */
  readonly path?: string;
}

export interface Coerced {
  /** The first thing that cannot be read; what comes after it was not coerced. */
  readonly error?: FieldError;
  /** Paths of metadata fields that there are not, which were dropped; sorted. */
  readonly unknown: readonly string[];
}

/**
 * Makes the metadata of embedded resources what an ObjectMeta may hold, in place, and checks that their apiVersion and kind are strings.
 * A value that is a resource itself is one when its schema says so. Source: apiextensions' objectmeta.CoerceWithOptions.
 */
export function coerceMetadata(value: JsonValue, schema: StructuralSchema, options: CoerceOptions): Coerced {
  const unknown: string[] = [];
  const error = coerce(value, schema, { ...options, unknown }, options.path ?? "");
  return { ...(error && { error }), unknown: unknown.sort(compareKeys) };
}

interface Context extends CoerceOptions {
  readonly unknown: string[];
}

function coerce(value: JsonValue, schema: StructuralSchema, context: Context, path: string): FieldError | undefined {
  if (typeof value !== "object" || value === null || !leadsToEmbedded(schema)) return undefined;
  const { items, properties, additionalProperties: others } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return undefined;
    return first(value.entries(), ([index, item]) => coerce(item, items, context, `${path}[${index}]`));
  }
  const problem = schema.embeddedResource ? coerceResource(value, context, path) : undefined;
  if (problem !== undefined) return problem;
  return first(Object.keys(value), (name) => {
    const held = value[name] as JsonValue;
    const property = properties.get(name);
    if (property !== undefined) return coerce(held, property, context, below(path, name));
    return typeof others === "object" ? coerce(held, others, context, `${path}[${name}]`) : undefined;
  });
}

const below = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

function first<T>(values: Iterable<T>, problemOf: (value: T) => FieldError | undefined): FieldError | undefined {
  for (const value of values) {
    const problem = problemOf(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function coerceResource(resource: JsonObject, context: Context, path: string): FieldError | undefined {
  for (const name of ["apiVersion", "kind"]) {
    const value = resource[name];
    if (value === undefined || typeof value === "string") continue;
    if (!context.dropInvalid) return invalidValue(below(path, name), value, "must be a string");
    delete resource[name];
  }
  const { metadata } = resource;
  if (metadata === undefined) return undefined;
  const at = below(path, "metadata");
  try {
    resource.metadata = readMetadata(metadata, context, at);
  } catch (error) {
    if (!context.dropInvalid) return invalidValue(at, inKeyOrder(metadata), (error as Error).message);
    if (isFields(metadata)) resource.metadata = readableParts(metadata, context, at);
  }
  return undefined;
}

const UNKNOWN_FIELD = /^unknown field "(.*)"$/s;

function readMetadata(metadata: JsonValue, { objectMeta, unknown }: Context, path: string): JsonObject {
  const { object, strictErrors } = decodeObject<JsonObject>(metadata, objectMeta);
  for (const text of strictErrors) {
    const [, field] = UNKNOWN_FIELD.exec(text) ?? [];
    if (field !== undefined) unknown.push(`${path}.${field}`);
  }
  if (object.creationTimestamp === null) delete object.creationTimestamp;
  return object;
}

/** Field by field, without those that cannot be read. */
function readableParts(metadata: JsonObject, context: Context, path: string): JsonObject {
  const parts: JsonObject = {};
  for (const [name, value] of Object.entries(metadata)) {
    try {
      Object.assign(parts, readMetadata({ [name]: value }, context, path));
    } catch {
      // It is left out.
    }
  }
  return parts;
}
