import { Pace } from "../../../base/time/pace.js";
import { atOnce, type Steps } from "../../../base/async/steps.js";
import {
  formatFieldError,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../../../machinery/errors/field-error.js";
import { absent, isFields, list, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { schemaPatternProblem } from "./pattern.js";
import { isSet, SCHEMA_FIELDS, sortedEntries } from "./schema-fields.js";
import type { Schema } from "./definition-types.js";

type Level = "root" | "item" | "field";

/**
 * Checks that a schema states the type of every value outside of anyOf, allOf, oneOf and not, as pruning and defaults require. The
 * errors are sorted by their text.
 */
export const validateStructural = (schema: Schema, path: string): FieldError[] =>
  atOnce(validateStructuralSteps(schema, path));

export function* validateStructuralSteps(schema: Schema, path: string): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  yield* invariantsSteps(schema, { level: "root", path, pace: new Pace() }, errors);
  yield;
  validateCompleteness(schema, path, errors);
  yield;
  return errors
    .map((error) => ({ error, text: formatFieldError(error) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ error }) => error);
}

/** Returns the reason why a schema cannot be read as structural at all; undefined when it can. */
export function notStructural(schema: Schema): string | undefined {
  for (const [field, name] of UNSUPPORTED)
    if (isThere(schema[field])) return `OpenAPIV3Schema '${name}' is not supported`;
  for (const inner of [schema.not, ...list(schema.allOf), ...list(schema.anyOf), ...list(schema.oneOf)]) {
    const problem = isFields(inner) ? notStructural(inner) : undefined;
    if (problem !== undefined) return problem;
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (list(schema.items).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const properties = sortedEntries(schema.properties).map(([, property]) => property);
  for (const inner of [schema.items, ...properties, schema.additionalProperties]) {
    const problem = isFields(inner) ? notStructural(inner) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const UNSUPPORTED: readonly (readonly [field: keyof Schema, name: string])[] = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
  ["additionalItems", "additionalItems"],
  ["definitions", "definitions"],
];

function isThere(value: unknown): boolean {
  if (absent(value) || value === "") return false;
  return !isFields(value) || Object.keys(value).length > 0;
}

const IN_RESOURCE = "x-kubernetes-embedded-resource";
const UNKNOWN = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING = "x-kubernetes-int-or-string";
const WHERE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

/** The number of errors after which the search stops. The answer lists at most 1000. */
export const MOST_FOUND = 4000;

interface Place {
  readonly level: Level;
  readonly path: string;
  readonly pace: Pace;
}

function* invariantsSteps(schema: Schema, { level, path, pace }: Place, errors: FieldError[]): Steps<void> {
  if (pace.isDue()) yield;
  if (errors.length >= MOST_FOUND) return;
  const { items, properties, additionalProperties: others } = schema;
  if (schema.type === "array" && !isFields(items)) errors.push(required(`${path}.items`, "must be specified"));
  if (isFields(items)) yield* invariantsSteps(items, { level: "item", path: `${path}.items`, pace }, errors);
  for (const [name, property] of sortedEntries(properties)) {
    const inside: Place = { level: "field", path: `${path}.properties[${name}]`, pace };
    yield* invariantsSteps(object(property), inside, errors);
  }
  if (!absent(others)) {
    if (level === "root") errors.push(forbiddenField(`${path}.additionalProperties`, "must not be used at the root"));
    const inside: Place = { level: "field", path: `${path}.additionalProperties`, pace };
    if (isFields(others)) yield* invariantsSteps(others, inside, errors);
  }
  validateExtensions(schema, path, errors);
  validateNarrowing(
    schema,
    { anyOf: isIntOrString(schema), firstAllOf: isIntOrString(object(list(schema.allOf)[0])) },
    path,
    errors,
  );
  validateType(schema, level, path, errors);
  validateMetaFields(schema, level, path, errors);
}

function validateExtensions(schema: Schema, path: string, errors: FieldError[]): void {
  if (schema[INT_OR_STRING] !== true) return;
  for (const field of [UNKNOWN, IN_RESOURCE] as const) {
    if (schema[field] !== true) continue;
    errors.push(invalidValue(`${path}.${field}`, true, "must be false if x-kubernetes-int-or-string is true"));
  }
}

function validateType(schema: Schema, level: Level, path: string, errors: FieldError[]): void {
  const type = text(schema.type);
  const at = `${path}.type`;
  if (schema[IN_RESOURCE] === true && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(at, detail) : invalidValue(at, type, detail));
  } else if (type === "" && schema[INT_OR_STRING] !== true && schema[UNKNOWN] !== true) {
    errors.push(required(at, WHERE[level]));
  }
  if (schema[IN_RESOURCE] === true && !absent(schema.additionalProperties)) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbiddenField(`${path}.additionalProperties`, detail));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalidValue(at, type, "must be object at the root"));
  }
}

/** What a resource has by being one may not be said otherwise. */
function validateMetaFields(schema: Schema, level: Level, path: string, errors: FieldError[]): void {
  const properties = object(schema.properties);
  const isResource = level === "root" || schema[IN_RESOURCE] === true;
  for (const name of ["kind", "apiVersion"]) {
    const property = own(properties, name);
    if (!isResource || property === undefined || property.type === "string") continue;
    errors.push(invalidValue(`${path}.properties[${name}].type`, text(property.type), "must be string"));
  }
  const metadata = own(properties, "metadata");
  if (metadata !== undefined) {
    const at = `${path}.properties[metadata]`;
    if (isResource && metadata.type !== "object") {
      errors.push(invalidValue(`${at}.type`, text(metadata.type), "must be object"));
    }
    if (level === "root" && saysMoreThanNames(metadata)) {
      const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
      errors.push(forbiddenField(at, detail));
    }
  }
  if (schema[IN_RESOURCE] === true && schema[UNKNOWN] !== true && Object.keys(properties).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${path}.properties`, detail));
  }
}

function saysMoreThanNames(metadata: Schema): boolean {
  const fields: ReadonlyFields = metadata;
  const names = Object.keys(object(metadata.properties));
  if (names.some((name) => name !== "name" && name !== "generateName")) return true;
  return SCHEMA_FIELDS.some(
    (field) => !["Type", "Default", "Properties"].includes(field.go) && isSet(fields[field.wire], field),
  );
}

function own(fields: ReadonlyFields, name: string): Schema | undefined {
  return Object.hasOwn(fields, name) ? object(fields[name]) : undefined;
}

/** "anyOf: [{type: integer}, {type: string}]", which may say a type where nothing else may. */
function isIntOrString(schema: Schema): boolean {
  const types = objects(schema.anyOf);
  return types.length === 2 && isOnly(types[0], "integer") && isOnly(types[1], "string");
}

function isOnly(schema: Schema | undefined, type: string): boolean {
  if (schema?.type !== type) return false;
  const fields: ReadonlyFields = schema;
  return SCHEMA_FIELDS.every((field) => field.go === "Type" || !isSet(fields[field.wire], field));
}

interface Skipped {
  readonly anyOf: boolean;
  /** The anyOf of the first schema in allOf. */
  readonly firstAllOf: boolean;
}

const NOTHING: Skipped = { anyOf: false, firstAllOf: false };

function validateNarrowing(schema: Schema, skipped: Skipped, path: string, errors: FieldError[]): void {
  if (!skipped.anyOf) {
    for (const [index, one] of objects(schema.anyOf).entries())
      validateNested(one, false, `${path}.anyOf[${index}]`, errors);
  }
  for (const [index, one] of objects(schema.allOf).entries()) {
    validateNested(one, skipped.firstAllOf && index === 0, `${path}.allOf[${index}]`, errors);
  }
  for (const [index, one] of objects(schema.oneOf).entries())
    validateNested(one, false, `${path}.oneOf[${index}]`, errors);
  if (isFields(schema.not)) validateNested(schema.not, false, `${path}.not`, errors);
  const problem = schemaPatternProblem(schema);
  if (problem === undefined) return;
  const detail = `must be a valid regular expression, but isn't: ${problem}`;
  errors.push(invalidValue(`${path}.pattern`, text(schema.pattern), detail));
}

const FORBIDDEN: readonly (readonly [field: keyof Schema, detail: string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  [UNKNOWN, "must be false to be structural"],
  [IN_RESOURCE, "must be false to be structural"],
  [INT_OR_STRING, "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function validateNested(schema: Schema, skipAnyOf: boolean, path: string, errors: FieldError[]): void {
  validateNarrowing(schema, { ...NOTHING, anyOf: skipAnyOf }, path, errors);
  if (isFields(schema.items)) validateNested(schema.items, false, `${path}.items`, errors);
  for (const [name, property] of sortedEntries(schema.properties)) {
    validateNested(object(property), false, `${path}.properties[${name}]`, errors);
  }
  for (const [field, detail] of FORBIDDEN) {
    if (saysSomething(schema[field])) errors.push(forbiddenField(`${path}.${field}`, detail));
  }
  if (own(object(schema.properties), "metadata") !== undefined) {
    errors.push(forbiddenField(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
}

const saysSomething = (value: unknown): boolean =>
  !absent(value) && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);

/** What a narrowing speaks of must be said outside of it. */
interface Narrowing {
  /** The schema outside, undefined where there is none, and where that is. */
  readonly schema: Schema | undefined;
  readonly path: string;
  /** Where the narrowing is. */
  readonly narrowing: string;
}

/** Whether every property and item that anyOf, allOf, oneOf and not narrow is specified outside of them. */
function validateCompleteness(schema: Schema, path: string, errors: FieldError[]): void {
  validateJunctors(schema, { schema, path, narrowing: path }, errors);
}

function validateJunctors(value: Schema, place: Narrowing, errors: FieldError[]): void {
  const at = (step: string): Narrowing => ({ ...place, narrowing: `${place.narrowing}.${step}` });
  if (isFields(value.not)) validateNarrowed(value.not, at("not"), errors);
  for (const junctor of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [index, one] of objects(value[junctor]).entries()) {
      validateNarrowed(one, at(`${junctor}[${index}]`), errors);
    }
  }
}

function validateNarrowed(value: Schema, place: Narrowing, errors: FieldError[]): void {
  const { schema, path, narrowing } = place;
  if (schema === undefined) {
    errors.push(required(path, `because it is defined in ${narrowing}`));
    return;
  }
  validateJunctors(value, place, errors);
  if (isFields(value.items)) {
    const items = isFields(schema.items) ? schema.items : undefined;
    validateNarrowed(value.items, { schema: items, path: `${path}.items`, narrowing: `${narrowing}.items` }, errors);
  }
  const properties = object(schema.properties);
  for (const [name, property] of sortedEntries(value.properties)) {
    const step = `.properties[${name}]`;
    const inside = { path: path + step, narrowing: narrowing + step };
    if (Object.hasOwn(properties, name)) {
      validateNarrowed(object(property), { ...inside, schema: object(properties[name]) }, errors);
    } else errors.push(required(inside.path, `because it is defined in ${inside.narrowing}`));
  }
}
