import { append } from "../../base/collections/append.js";
import type { Steps } from "../../base/async/steps.js";
import { type FieldError, duplicate, invalidValue } from "../errors/field-error.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import { prepareDefaultsSteps } from "./apply-defaults.js";
import { validateEmbeddedResources } from "./embedded-resources.js";
import { CorrelatedValue } from "./ratchet.js";
import { compileSchemaValidation } from "./schema-validation.js";
import type { StructuralSchema } from "./structural-schema.js";
import { encodeJson } from "../wire/json/json-encoder.js";
import { isFields } from "../meta/access.js";
import { inKeyOrder } from "./problems.js";

export interface ValueValidationOptions {
  /** The value beside its old one, when the caller has it; else it is made of them. */
  readonly correlated?: CorrelatedValue | undefined;
}

/** Validates a value; with an old value, faults that an update left unchanged are forgiven. */
export interface ValueValidator {
  (value: JsonValue, old: JsonValue | undefined, options?: ValueValidationOptions): FieldError[];
  /**
   * Judges a write of the status of an object: by the schema of that field alone, whose sentences name fields from the root of the status.
   * Embedded resources are not judged. Source: apiextensions' statusStrategy.
   */
  status(object: JsonObject, old: JsonObject, correlated: CorrelatedValue): FieldError[];
  /** Makes ready, in steps, all that validation and defaults need of the schema. Else they do when a value first needs it. */
  prepareSteps(): Steps<void>;
}

/**
 * Compiles all that a schema says of values but the rules in CEL: {@link compileSchemaValidation}, then embedded resources, then lists of
 * type set and map, in the order of kube-apiserver's errors. Faults of sets and maps are forgiven where the old value had any; those of
 * embedded resources never. Source: apiextensions' customResourceStrategy.
 */
export function compileValueValidation(schema: StructuralSchema): ValueValidator {
  const validateSchema = compileSchemaValidation(schema);
  const repeatedItems = (value: JsonValue, old: JsonValue | undefined): FieldError[] =>
    old === undefined || validateListUniqueness(old, schema).length === 0 ? validateListUniqueness(value, schema) : [];
  const validator = (
    value: JsonValue,
    old: JsonValue | undefined,
    { correlated }: ValueValidationOptions = {},
  ): FieldError[] => {
    const before = correlated ?? (old === undefined ? undefined : new CorrelatedValue(value, old, schema));
    const errors = validateSchema(value, { correlated: before });
    append(errors, validateEmbeddedResources(value, schema));
    append(errors, repeatedItems(value, old));
    return errors;
  };
  const validateStatus = validateSchema.ofField("status");
  return Object.assign(validator, {
    status(object: JsonObject, old: JsonObject, correlated: CorrelatedValue): FieldError[] {
      const { status } = object;
      const options = { path: "status", correlated: correlated.field("status") };
      const errors = status === undefined ? [] : (validateStatus?.(status, options) ?? []);
      append(errors, repeatedItems(object, old));
      return errors;
    },
    *prepareSteps(): Steps<void> {
      yield* prepareDefaultsSteps(schema);
      yield* validateSchema.prepareSteps();
    },
  });
}

/**
 * Whether the items of lists of type set, and the keys of items of lists of type map, are there once. `path` is that of the value; ""
 * for a whole object. An update asks for it only where the old object is faultless. Source: apiextensions'
 * listtype.ValidateListSetsAndMaps.
 */
function validateListUniqueness(value: JsonValue, schema: StructuralSchema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  if (hasUniqueLists(schema)) walk(value, schema, path, errors);
  return errors;
}

const known = new WeakMap<StructuralSchema, boolean>();

/** Most schemas have no such list, and their objects are not walked. */
function hasUniqueLists(schema: StructuralSchema): boolean {
  let has = known.get(schema);
  if (has === undefined) {
    const { items, additionalProperties: others, listType } = schema;
    has =
      listType === "set" ||
      listType === "map" ||
      (items !== undefined && hasUniqueLists(items)) ||
      (typeof others === "object" && hasUniqueLists(others)) ||
      [...schema.properties.values()].some(hasUniqueLists);
    known.set(schema, has);
  }
  return has;
}

function walk(value: JsonValue, schema: StructuralSchema, path: string, errors: FieldError[]): void {
  if (typeof value !== "object" || value === null || !hasUniqueLists(schema)) return;
  const { items, additionalProperties: others, properties } = schema;
  if (Array.isArray(value)) {
    if (schema.listType === "set") findRepeated(value, value, path, errors);
    else if (schema.listType === "map") findRepeatedKeys(value, schema.listMapKeys, path, errors);
    if (items === undefined) return;
    for (const [index, item] of value.entries()) walk(item, items, `${path}[${index}]`, errors);
    return;
  }
  for (const name of Object.keys(value)) {
    const held = value[name] as JsonValue;
    if (typeof others === "object") walk(held, others, `${path}[${name}]`, errors);
    const property = properties.get(name);
    if (property !== undefined) walk(held, property, path === "" ? name : `${path}.${name}`, errors);
  }
}

function findRepeatedKeys(
  value: readonly JsonValue[],
  keys: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  const wrong = value.findIndex((item) => item !== null && !isFields(item));
  if (wrong >= 0) {
    const detail = "must be an object for an array of list-type map";
    errors.push(invalidValue(`${path}[${wrong}]`, value[wrong], detail));
    return;
  }
  const named = value.map((item) => keysOf(item, keys));
  findRepeated(named, named, path, errors);
}

function keysOf(item: JsonValue, keys: readonly string[]): JsonObject {
  if (!isFields(item)) return {};
  const there = keys.filter((key) => Object.hasOwn(item, key)).sort();
  return Object.fromEntries(there.map((key) => [key, item[key] as JsonValue]));
}

/** Of a value that is there more than twice, only its second place is named. */
function findRepeated(
  values: readonly JsonValue[],
  shown: readonly JsonValue[],
  path: string,
  errors: FieldError[],
): void {
  if (values.length < 2) return;
  const times = new Map<unknown, number>();
  for (const [index, value] of values.entries()) {
    const isCompound = typeof value === "object" && value !== null;
    const identity = isCompound ? `\0${encodeJson(value, { sortKeys: true })}` : value;
    const before = times.get(identity) ?? 0;
    times.set(identity, before + 1);
    if (before === 1) errors.push(duplicate(`${path}[${index}]`, inKeyOrder(shown[index] ?? null)));
  }
}
