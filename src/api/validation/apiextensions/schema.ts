import { append } from "../../../base/collections/append.js";
import { Pace } from "../../../base/time/pace.js";
import { atOnce, type Steps } from "../../../base/async/steps.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { absent, isFields, list, object, objects, text } from "../../../machinery/meta/access.js";
import { validateListType, validateMapListKeys } from "./list-type.js";
import { TotalCost, type RuleExpressions } from "./rule-expressions.js";
import { sortedEntries, schemaHas } from "./schema-fields.js";
import { MOST_FOUND, notStructural } from "./structural.js";
import { fieldPath } from "../../../machinery/structural/field-path.js";
import type { Schema, Rule } from "./definition-types.js";

export interface SchemaRules {
  readonly requireKnownTypes: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapKeys: boolean;
  /** Why there may be no default; undefined where there may be one. */
  readonly noDefaults?: string | undefined;
  /** The rules in CEL, where they are judged: where all else is right. */
  readonly expressions?: RuleExpressions | undefined;
  /** Whether rules may cost more than the limit. */
  readonly forgivesCost?: boolean;
  /** The expressions of rules that the definition had before. */
  readonly storedRules?: ReadonlySet<string>;
}

interface Place extends SchemaRules {
  readonly root: boolean;
  /** Inside apiVersion, kind or metadata of a resource. */
  readonly inMeta: boolean;
  /** The path of the list around the schema whose items of before cannot be found again. */
  readonly uncorrelatable?: string;
  /** Errors of rules stand behind all others. */
  readonly ofRules: FieldError[];
  readonly totalCost: TotalCost;
  readonly pace: Pace;
}

/** Checks which fields the schema of a custom resource may have, structural or not. */
export const validateSchema = (schema: Schema, path: string, rules: SchemaRules): FieldError[] =>
  atOnce(validateSchemaSteps(schema, path, rules));

export function* validateSchemaSteps(schema: Schema, path: string, rules: SchemaRules): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const [ofRules, totalCost, pace]: [FieldError[], TotalCost, Pace] = [[], new TotalCost(), new Pace()];
  yield* validate(schema, path, { ...rules, root: true, inMeta: false, ofRules, totalCost, pace }, errors);
  return [...errors, ...ofRules, ...totalCost.problems(path)];
}

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

export const hasUnknownTypes = (schema: unknown): boolean =>
  schemaHas(schema, ({ type }) => text(type) !== "" && !TYPES.includes(text(type)));

const META = ["metadata", "kind", "apiVersion"];

function* validate(schema: Schema, path: string, place: Place, errors: FieldError[]): Steps<void> {
  if (place.pace.isDue()) yield;
  if (errors.length >= MOST_FOUND) return;
  const inner: Place = { ...place, root: false };
  function* into(value: unknown, step: string, changed: Partial<Place> = {}): Steps<void> {
    if (isFields(value)) yield* validate(value, path + step, { ...inner, ...changed }, errors);
  }
  function* each(field: keyof Schema): Steps<void> {
    for (const [index, one] of objects(schema[field]).entries()) yield* into(one, `.${field}[${index}]`);
  }
  const before = errors.length;
  validateFields(schema, path, place, errors);
  const properties = sortedEntries(schema.properties);
  const others = schema.additionalProperties;
  if (!absent(others)) {
    if (properties.length > 0 && others !== true) {
      const detail = "additionalProperties and properties are mutual exclusive";
      errors.push(forbiddenField(`${path}.additionalProperties`, detail));
    }
    const noDefaults = "inside additionalProperties applying to object metadata";
    yield* into(others, ".additionalProperties", place.inMeta ? { noDefaults } : {});
  }
  for (const [name, property] of properties) {
    const meta = (place.root || schema["x-kubernetes-embedded-resource"] === true) && META.includes(name);
    const changed = {
      ...(meta && { inMeta: true }),
      ...(meta && place.root && { noDefaults: `in top-level ${name}` }),
    };
    yield* into(property, `.properties[${name}]`, changed);
  }
  yield* into(schema.not, ".not");
  for (const junctor of ["allOf", "oneOf", "anyOf"] as const) yield* each(junctor);
  for (const [name, one] of sortedEntries(schema.definitions)) yield* into(one, `.definitions[${name}]`);
  const isMapList = schema["x-kubernetes-list-type"] === "map";
  yield* into(schema.items, ".items", isMapList ? {} : { uncorrelatable: place.uncorrelatable ?? path });
  yield* each("items");
  for (const [name, one] of sortedEntries(schema.dependencies)) yield* into(one, `.dependencies[${name}]`);
  validateExtensions(schema, path, errors);
  validateListType(schema, path, place.requireAtomicSets, errors);
  if (place.requireMapKeys) validateMapListKeys(schema, path, errors);
  validateRules(schema, path, errors);
  const { expressions, uncorrelatable, forgivesCost = false, storedRules: stored = NO_RULES } = place;
  if (expressions === undefined || errors.length > before) return;
  append(place.ofRules, expressions.judge(schema, { path, uncorrelatable, forgivesCost, stored }, place.totalCost));
}

const NO_RULES: ReadonlySet<string> = new Set();

const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

function validateFields(schema: Schema, path: string, place: Place, errors: FieldError[]): void {
  const type = text(schema.type);
  if (place.requireKnownTypes && type !== "" && !TYPES.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, TYPES));
  }
  if (!absent(schema.default) && place.noDefaults !== undefined) {
    errors.push(forbiddenField(`${path}.default`, `must not be set ${place.noDefaults}`));
  }
  for (const field of UNSUPPORTED) {
    if (isThere(schema[field], field)) errors.push(forbiddenField(`${path}.${field}`, `${field} is not supported`));
  }
  if (type === "null") {
    errors.push(forbiddenField(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (list(schema.items).length > 0) {
    errors.push(forbiddenField(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (place.inMeta && schema["x-kubernetes-embedded-resource"] === true) {
    const detail = "must not be used inside of resource meta";
    errors.push(forbiddenField(`${path}.x-kubernetes-embedded-resource`, detail));
  }
  if (schema.uniqueItems === true) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbiddenField(`${path}.uniqueItems`, detail));
  }
}

function isThere(value: unknown, field: string): boolean {
  if (absent(value)) return false;
  if (field === "id") return value !== "";
  return !["patternProperties", "definitions"].includes(field) || Object.keys(object(value)).length > 0;
}

function validateExtensions(schema: Schema, path: string, errors: FieldError[]): void {
  const unknown = "x-kubernetes-preserve-unknown-fields";
  if (schema[unknown] === false) errors.push(invalidValue(`${path}.${unknown}`, false, "must be true or undefined"));
  const mapType = schema["x-kubernetes-map-type"];
  if (absent(mapType)) return;
  const type = text(schema.type);
  const detail = "must be object if x-kubernetes-map-type is specified";
  if (type === "") errors.push(required(`${path}.type`, detail));
  else if (type !== "object") errors.push(invalidValue(`${path}.type`, type, detail));
  if (mapType !== "atomic" && mapType !== "granular") {
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
}

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const LINE_BREAK = /[\n\r]/;

/** x-kubernetes-validations but for what is in the expressions: see rule-expressions.ts. */
function validateRules(schema: Schema, path: string, errors: FieldError[]): void {
  const rules: readonly Rule[] = objects(schema["x-kubernetes-validations"]);
  for (const [index, rule] of rules.entries()) {
    validateRule(rule, schema, `${path}.x-kubernetes-validations[${index}]`, errors);
  }
}

function validateRule(rule: Rule, schema: Schema, path: string, errors: FieldError[]): void {
  const [expression, message] = [text(rule.rule).trim(), text(rule.message)];
  const [messageExpression, target] = [text(rule.messageExpression), text(rule.fieldPath)];
  const empty = "must be non-empty if specified";
  const broken = "must not contain line breaks";
  if (expression === "") errors.push(required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "") errors.push(invalidValue(`${path}.message`, message, empty));
  else if (LINE_BREAK.test(message.trim())) errors.push(invalidValue(`${path}.message`, message, broken));
  else if (LINE_BREAK.test(expression) && message === "") {
    errors.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (!absent(rule.reason) && !REASONS.includes(text(rule.reason))) {
    errors.push(notSupported(`${path}.reason`, text(rule.reason), REASONS));
  }
  if (target === "") return;
  if (target.trim() === "") errors.push(invalidValue(`${path}.fieldPath`, target, empty));
  if (LINE_BREAK.test(target)) errors.push(invalidValue(`${path}.fieldPath`, target, broken));
  if (notStructural(schema) === undefined && typeof fieldPath(target, schema) === "string") {
    errors.push(invalidValue(`${path}.fieldPath`, target, "must be a valid path"));
  }
}
