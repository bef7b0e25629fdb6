import {
  type FieldError,
  formatFieldError,
  formatFieldErrors,
  invalidValue,
} from "../../../machinery/errors/field-error.js";
import { absent, type ReadonlyFields } from "../../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import { deepCopy, deepEqual } from "../../../machinery/patch/json-values.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { coerceMetadata } from "../../../machinery/structural/coerce-metadata.js";
import { validateEmbeddedResources } from "../../../machinery/structural/embedded-resources.js";
import { prune } from "../../../machinery/structural/prune.js";
import { compileSchemaValidation } from "../../../machinery/structural/schema-validation.js";
import {
  asResourceRoot,
  type StructuralSchema,
  structuralSchemaOf,
} from "../../../machinery/structural/structural-schema.js";
import { schemaFor } from "../../facts/index.js";
import { schemaHas } from "./schema-walk.js";

const META = ["apiVersion", "kind", "metadata"];

/**
 * Whether the defaults of a structural schema are what the schema takes: only fields that it knows, unless `requirePruned` is false,
 * and values that it allows. Rules in CEL are not asked. Source: apiextensions' defaulting.ValidateDefaults.
 */
export function validateDefaults(schema: ReadonlyFields, path: string, requirePruned: boolean): FieldError[] {
  if (!hasDefaults(schema)) return [];
  const errors: FieldError[] = [];
  const root = asResourceRoot(structuralSchemaOf(schema as JsonObject));
  eachDefault(root, { path, root, inMeta: false, around: asResource }, (place) => {
    if (place.inMeta) errors.push(...problemsInMeta(place));
    else {
      if (requirePruned && isUnpruned(place)) {
        errors.push(invalidValue(place.path, place.value, "must not have unknown fields"));
      }
      errors.push(...problemsOf(place));
    }
  });
  return errors;
}

export function hasUnprunedDefaults(schema: ReadonlyFields): boolean {
  if (!hasDefaults(schema)) return false;
  let found = false;
  const root = asResourceRoot(structuralSchemaOf(schema as JsonObject));
  eachDefault(root, { path: "", root, inMeta: false, around: asResource }, (place) => {
    found ||= !place.inMeta && isUnpruned(place);
  });
  return found;
}

export const hasDefaults = (schema: unknown): boolean => schemaHas(schema, (inner) => !absent(inner.default));

interface Surroundings {
  readonly path: string;
  /** The resource that the schema is a part of. */
  readonly root: StructuralSchema;
  /** Inside apiVersion, kind or metadata of that resource. */
  readonly inMeta: boolean;
  /** A resource that holds the value and nothing else. */
  readonly around: (value: JsonValue) => JsonObject;
}

/** A default, and where it is. */
interface DefaultPlace extends Surroundings {
  readonly value: JsonValue;
  readonly schema: StructuralSchema;
}

const asResource = (value: JsonValue): JsonObject => ({
  apiVersion: "validation/v1",
  kind: "Validation",
  ...(value as JsonObject),
});

/** Calls `visit` for each default but those below additionalProperties. */
function eachDefault(schema: StructuralSchema, outer: Surroundings, visit: (place: DefaultPlace) => void): void {
  const here = schema.embeddedResource ? { ...outer, root: schema, inMeta: false, around: asResource } : outer;
  const { path, around } = here;
  if (schema.default !== undefined) visit({ ...here, path: `${path}.default`, value: schema.default, schema });
  if (schema.items !== undefined) {
    eachDefault(schema.items, { ...here, path: `${path}.items`, around: (value) => around([value]) }, visit);
  }
  for (const [name, property] of schema.properties) {
    const inner = {
      ...here,
      path: `${path}.properties[${name}]`,
      inMeta: here.inMeta || (schema.embeddedResource && META.includes(name)),
      around: (value: JsonValue) => around({ [name]: value }),
    };
    eachDefault(property, inner, visit);
  }
}

function isUnpruned({ value, schema }: DefaultPlace): boolean {
  const pruned = deepCopy(value);
  prune(pruned, schema, { isResourceRoot: schema.embeddedResource });
  return !deepEqual(pruned, value);
}

function problemsOf({ value, schema, path }: DefaultPlace): FieldError[] {
  const { error } = coerceMetadata(deepCopy(value), schema, { objectMeta: objectMeta(), dropInvalid: false, path });
  if (error !== undefined) return [error];
  const errors = validateEmbeddedResources(value, schema, { path });
  return errors.length > 0 ? errors : compileSchemaValidation(schema)(value, { path });
}

/** A default of metadata is judged within a resource. */
function problemsInMeta({ value, schema, path, root, around }: DefaultPlace): FieldError[] {
  const resource = around(deepCopy(value));
  const refuse = (problem: string): FieldError[] => [
    invalidValue(path, value, `must result in valid metadata: ${problem}`),
  ];
  const { error } = coerceMetadata(resource, root, { objectMeta: objectMeta(), dropInvalid: false });
  if (error !== undefined) return refuse(formatFieldError(error));
  const errors = validateEmbeddedResources(resource, root);
  return errors.length > 0 ? refuse(formatFieldErrors(errors)) : compileSchemaValidation(schema)(value, { path });
}

let meta: StructSchema | undefined;

/** meta/v1 ObjectMeta. */
function objectMeta(): StructSchema {
  meta ??= schemaFor({ group: "", version: "v1", kind: "ConfigMap" })?.byName.get("metadata")?.schema as StructSchema;
  return meta;
}
