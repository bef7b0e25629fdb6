import { append } from "../../base/collections/append.js";
import { type FieldError, invalidValue, required } from "../errors/field-error.js";
import { isFields } from "../meta/access.js";
import { parseGroupVersion } from "../meta/gvk.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import type { ObjectMeta } from "../meta/object.js";
import { dns1035LabelErrors, pathSegmentErrors } from "../validation/names.js";
import { validateObjectMeta } from "../validation/object-meta.js";
import { leadsToEmbedded, type StructuralSchema } from "./structural-schema.js";

/**
 * Validates the apiVersion, kind and metadata of embedded resources, which must be well-formed. The value itself is one with
 * `isResourceRoot`. `path` is the value's; "" for a whole object. Metadata that was not coerced is skipped. Source: apiextensions'
 * objectmeta.Validate.
 */
export function validateEmbeddedResources(
  value: JsonValue,
  schema: StructuralSchema,
  { path = "", isResourceRoot = false }: { readonly path?: string; readonly isResourceRoot?: boolean } = {},
): FieldError[] {
  const errors: FieldError[] = [];
  if (isResourceRoot && isFields(value) && !schema.embeddedResource) {
    append(errors, validateResource(value, path));
  }
  walk(value, schema, path, errors);
  return errors;
}

function walk(value: JsonValue, schema: StructuralSchema, path: string, errors: FieldError[]): void {
  if (typeof value !== "object" || value === null || !leadsToEmbedded(schema)) return;
  const { items, additionalProperties: others, properties } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return;
    for (const [index, item] of value.entries()) walk(item, items, `${path}[${index}]`, errors);
    return;
  }
  if (schema.embeddedResource) append(errors, validateResource(value, path));
  for (const name of Object.keys(value)) {
    const held = value[name] as JsonValue;
    const property = properties.get(name);
    if (property !== undefined) walk(held, property, path === "" ? name : `${path}.${name}`, errors);
    else if (typeof others === "object") walk(held, others, `${path}[${name}]`, errors);
  }
}

function validateResource(resource: JsonObject, path: string): FieldError[] {
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const errors = ["apiVersion", "kind"]
    .filter((name) => resource[name] === undefined)
    .map((name) => required(at(name)));
  for (const [name, value] of Object.entries(resource)) {
    if (name === "apiVersion" || name === "kind") {
      const problem = name === "kind" ? kindProblem(value) : apiVersionProblem(value);
      if (problem !== undefined) errors.push(invalidValue(at(name), value, problem));
    } else if (name === "metadata" && isFields(value)) {
      const metadata = value as ObjectMeta;
      append(
        errors,
        validateObjectMeta(
          // An embedded object need not have a name.
          { ...metadata, name: metadata.name || "fakename" },
          { namespaced: (metadata.namespace ?? "") !== "", nameRule: pathSegmentErrors },
          at("metadata"),
        ),
      );
    }
  }
  return errors;
}

function kindProblem(value: JsonValue): string | undefined {
  if (typeof value !== "string") return "must be a string";
  if (value === "") return "must not be empty";
  const wrong = dns1035LabelErrors(value.toLowerCase());
  return wrong.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
}

function apiVersionProblem(value: JsonValue): string | undefined {
  if (typeof value !== "string") return "must be a string";
  if (value === "") return "must not be empty";
  try {
    parseGroupVersion(value);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
