import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { absent, isFields, list, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { goItems, schemaHas } from "./schema-fields.js";
import { repeatedAt } from "../rules.js";
import type { Schema } from "./definition-types.js";

const LIST_TYPE = "x-kubernetes-list-type";
const MAP_TYPE = "x-kubernetes-map-type";
const KEYS = "x-kubernetes-list-map-keys";
const LIST_TYPES = ["atomic", "set", "map"];

/** Checks x-kubernetes-list-type and x-kubernetes-list-map-keys of a schema. */
export function validateListType(schema: Schema, path: string, requireAtomicSets: boolean, errors: FieldError[]): void {
  const listType = schema[LIST_TYPE];
  const keys = list(schema[KEYS]).map(text);
  const at = `${path}.${LIST_TYPE}`;
  if (!absent(listType)) {
    const type = text(schema.type);
    const detail = "must be array if x-kubernetes-list-type is specified";
    if (type === "") errors.push(required(`${path}.type`, detail));
    else if (type !== "array") errors.push(invalidValue(`${path}.type`, type, detail));
    else if (requireAtomicSets) append(errors, setProblems(schema, path));
    if (!LIST_TYPES.includes(text(listType))) errors.push(notSupported(at, listType, LIST_TYPES));
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(absent(listType) ? required(at, detail) : invalidValue(at, listType, detail));
  }
  if (listType === "map") validateMapList(schema, keys, path, errors);
}

/** The items of a set are compared as a whole. */
const schemaIn = (properties: ReadonlyFields, name: string): Schema => object(properties[name]);

function setProblems(schema: Schema, path: string): FieldError[] {
  if (schema[LIST_TYPE] !== "set" || !isFields(schema.items)) return [];
  const items: Schema = schema.items;
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items[LIST_TYPE] ?? null;
  if (items.type === "array" && listType !== null && listType !== "atomic") {
    return [invalidValue(`${path}.items.${LIST_TYPE}`, listType, detail)];
  }
  // The value that is shown is that of the list type.
  if (items.type === "object" && items[MAP_TYPE] !== "atomic") {
    return [invalidValue(`${path}.items.${MAP_TYPE}`, listType, detail)];
  }
  return [];
}

export const hasNonAtomicSets = (schema: unknown): boolean =>
  schemaHas(schema, (inner) => setProblems(inner, "").length > 0);

function validateMapList(schema: Schema, keys: readonly string[], path: string, errors: FieldError[]): void {
  const { items } = schema;
  if (keys.length === 0) errors.push(required(`${path}.${KEYS}`, "must not be empty if x-kubernetes-list-type is map"));
  if (absent(items)) {
    errors.push(required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
    return;
  }
  if (!isFields(items)) {
    const detail = "must only have a single schema if x-kubernetes-list-type is map";
    errors.push(invalidValue(`${path}.items`, goItems(items), detail));
    return;
  }
  const { type: stated }: Schema = items;
  const type = text(stated);
  if (type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalidValue(`${path}.items.type`, type, detail));
    return;
  }
  const { properties: given }: Schema = items;
  const properties = object(given);
  const again = repeatedAt(keys);
  for (const [index, key] of keys.entries()) {
    const property = Object.hasOwn(properties, key) ? schemaIn(properties, key) : undefined;
    if (property === undefined) {
      errors.push(invalidValue(`${path}.${KEYS}`, keys, "entries must all be names of item properties"));
    } else if (property.type === "array" || property.type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidValue(`${path}.items.properties[${key}].type`, type, detail));
    }
    if (again.has(index)) {
      errors.push(invalidValue(`${path}.${KEYS}`, keys, "must not contain duplicate entries"));
    }
  }
}

/** Items of a set or map are there, and so are the keys of a map's items. */
export function validateMapListKeys(schema: Schema, path: string, errors: FieldError[]): void {
  const listType = text(schema[LIST_TYPE]);
  if (!isFields(schema.items) || (listType !== "set" && listType !== "map")) return;
  const items: Schema = schema.items;
  if (items.nullable === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbiddenField(`${path}.items.nullable`, detail));
  }
  if (listType !== "map") return;
  const properties = object(items.properties);
  const isRequired = new Set(list(items.required));
  for (const key of list(schema[KEYS]).map(text)) {
    if (!Object.hasOwn(properties, key)) continue;
    const property = schemaIn(properties, key);
    const at = `${path}.items.properties[${key}]`;
    const why = "this property is in x-kubernetes-list-map-keys, so it";
    if (!isRequired.has(key) && absent(property.default)) {
      errors.push(required(`${at}.default`, `${why} must have a default or be a required property`));
    }
    if (property.nullable === true) errors.push(forbiddenField(`${at}.nullable`, `${why} cannot be nullable`));
  }
}

export const hasLooseMapKeys = (schema: unknown): boolean =>
  schemaHas(schema, (inner) => {
    const errors: FieldError[] = [];
    validateMapListKeys(inner, "", errors);
    return errors.length > 0;
  });
