import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { FieldError } from "../errors/field-error.js";
import { isFields } from "../meta/access.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import { deepEqual } from "../patch/json-values.js";
import { checkNumber, isInt64, isNearlyWhole } from "./number-checks.js";
import {
  fewerThan,
  forbiddenProperty,
  longerThan,
  missing,
  moreThan,
  notLike,
  notOneOf,
  repeatedItems,
  shorterThan,
  unplaced,
  wrongType,
} from "./problems.js";
import type { CorrelatedValue } from "./ratchet.js";
import { SchemaNode } from "./schema-node.js";
import type { StructuralSchema } from "./structural-schema.js";
import { toFieldErrors, Result } from "./validation-result.js";

export interface SchemaValidationOptions {
  /** Of the value; "" or absent for a whole object. */
  readonly path?: string | undefined;
  /** On update: errors of what did not change are forgiven. */
  readonly correlated?: CorrelatedValue | undefined;
}

/** Validates values by a schema: types, formats, limits, enums, required fields, anyOf and its like. */
export interface SchemaValidator {
  (value: JsonValue, options?: SchemaValidationOptions): FieldError[];
  /** Judges values of a field alone, by what is compiled here; undefined for one that the schema does not declare. */
  ofField(name: string): SchemaValidator | undefined;
  /** Compiles all of the schema in steps. Else its parts are compiled when a value first needs them, which for a large one takes long. */
  prepareSteps(): Steps<void>;
}

/**
 * Compiles the checks of kube-openapi's validation, with the texts and paths of a kube-apiserver's errors. Source: kube-openapi's
 * pkg/validation/validate, apiextensions' validation.RatchetingSchemaValidator.
 */
export function compileSchemaValidation(schema: StructuralSchema): SchemaValidator {
  return validatorOf(new SchemaNode(schema));
}

function validatorOf(node: SchemaNode): SchemaValidator {
  const validator = (value: JsonValue, { path = "", correlated }: SchemaValidationOptions = {}): FieldError[] => {
    const result = new Result();
    validate(node, value, "", result, correlated);
    if (result.isValid || correlated?.isEqual === true) return [];
    return toFieldErrors(result, path);
  };
  return Object.assign(validator, {
    ofField(name: string): SchemaValidator | undefined {
      const field = node.field(name);
      return field && validatorOf(field);
    },
    prepareSteps: () => node.prepareSteps(new Pace()),
  });
}

/** The errors of `value`, which are added to `result`. */
function validate(
  node: SchemaNode,
  value: JsonValue,
  path: string,
  result: Result,
  correlated: CorrelatedValue | undefined,
): void {
  if (value === null) {
    validateNull(node, path, result);
    return;
  }
  if (node.types.length > 0 || node.format !== "") {
    checkType(node, value, path, result);
    result.matches += 1;
  }
  checkAlternatives(node, value, path, result);
  if (typeof value === "string") checkText(node, value, path, result);
  else if (typeof value === "number" || typeof value === "bigint") {
    checkNumber(value, node.numbers, path, result);
    result.matches += 1;
  } else if (Array.isArray(value)) checkItems(node, value, path, result, correlated);
  checkEnum(node, value, path, result);
  if (isFields(value)) checkFields(node, value, path, result, correlated);
  // Of the alternatives, of the enum, and of the whole.
  result.matches += 3;
}

function validateNull(node: SchemaNode, path: string, result: Result): void {
  if (node.types.length > 0 && !node.nullable) result.add(wrongType(path, node.typeNames, "null"));
  else result.matches += 1;
  checkEnum(node, null, path, result);
}

/** Source: kube-openapi's typeValidator. */
function checkType(node: SchemaNode, value: Exclude<JsonValue, null>, path: string, result: Result): void {
  const { types, format } = node;
  const [type, valueFormat] = typeOf(value);
  const takesIntegers = types.includes("integer");
  const takesNumbers = types.includes("number");
  const isWholeFloat = type === "number" && takesIntegers && isNearlyWhole(Number(value));
  const fits = types.includes(type) || isWholeFloat || (type === "integer" && takesNumbers);
  const isTextOrList = type === "string" || type === "array";
  if (format !== "" && !isTextOrList && !fits && format !== valueFormat) {
    result.add(wrongType(path, format, valueFormat));
  } else if (format !== "" && isTextOrList && !takesIntegers && !takesNumbers) {
    // The format speaks of texts; lists go unchecked too.
    result.matches += 1;
  } else if (fits) result.matches += 1;
  else result.add(wrongType(path, node.typeNames, type));
}

const [STRING, BOOLEAN] = [["string", ""] as const, ["boolean", ""] as const];
const [ARRAY, OBJECT] = [["array", ""] as const, ["object", ""] as const];
const [INTEGER, NUMBER] = [["integer", "int64"] as const, ["number", "float64"] as const];

/** The type of a value, and the format that Go's type for it has. */
function typeOf(value: Exclude<JsonValue, null>): readonly [type: string, format: string] {
  if (typeof value === "number" || typeof value === "bigint") return isInt64(value) ? INTEGER : NUMBER;
  if (typeof value !== "object") return typeof value === "string" ? STRING : BOOLEAN;
  return Array.isArray(value) ? ARRAY : OBJECT;
}

/** Source: kube-openapi's stringValidator, of whose problems only the first counts, and formatValidator. */
function checkText(node: SchemaNode, value: string, path: string, result: Result): void {
  const { maxLength, minLength, pattern } = node.validation;
  if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength) {
    result.add(longerThan(path, maxLength));
  } else if (minLength !== undefined && lengthOf(value) < minLength) result.add(shorterThan(path, value, minLength));
  else if (pattern !== "" && !node.pattern.test(value)) result.add(notLike(path, value, pattern));
  result.matches += 1;
  if (node.checkFormat === undefined) return;
  if (!node.checkFormat(value)) result.add(wrongType(path, node.format, value));
  result.matches += 1;
}

/** In characters. */
function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) length += 1;
  return length;
}

function checkItems(
  node: SchemaNode,
  value: readonly JsonValue[],
  path: string,
  result: Result,
  correlated: CorrelatedValue | undefined,
): void {
  const { maxItems, minItems, uniqueItems } = node.validation;
  const { items } = node;
  if (items !== undefined) {
    for (const [index, item] of value.entries()) {
      if (isPlain(items, item, result)) continue;
      validateChild(items, item, `${path}[${index}]`, result, correlated?.item(index));
    }
  }
  if (minItems !== undefined && value.length < minItems) result.add(fewerThan(path, "items", value.length, minItems));
  if (maxItems !== undefined && value.length > maxItems) result.add(moreThan(path, "items", value.length, maxItems));
  if (uniqueItems && hasRepeated(value)) result.add(repeatedItems(path));
  result.matches += 2;
}

const hasRepeated = (value: readonly JsonValue[]): boolean =>
  value.some((item, index) => value.slice(0, index).some((other) => deepEqual(item, other)));

function checkFields(
  node: SchemaNode,
  value: JsonObject,
  path: string,
  result: Result,
  correlated: CorrelatedValue | undefined,
): void {
  const { maxProperties, minProperties, required } = node.validation;
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties) {
    result.add(fewerThan(path, "properties", names.length, minProperties));
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    result.add(moreThan(path, "properties", names.length, maxProperties));
  }
  const { others } = node;
  for (const name of names) {
    const held = value[name] as JsonValue;
    const property = node.field(name);
    if (property !== undefined) {
      if (isPlain(property, held, result)) continue;
      // A change of version does not show in them.
      const isType = path === "" && (name === "kind" || name === "apiVersion");
      const at = path === "" ? name : `${path}.${name}`;
      validateChild(property, held, at, result, isType ? undefined : correlated?.field(name));
    } else if (others === false) result.add(forbiddenProperty(path, name));
    else if (others !== true && !isPlain(others, held, result))
      validateChild(others, held, `${path}.${name}`, result, correlated?.field(name));
  }
  for (const name of required) if (!Object.hasOwn(value, name)) result.add(missing(`${path}.${name}`));
  result.matches += 1;
}

/** Whether a value has the one type that its schema asks for, and there is nothing else to check. Counts the checks of {@link validate}. */
function isPlain({ plain }: SchemaNode, value: JsonValue, result: Result): boolean {
  if (plain === undefined || typeof value !== plain) return false;
  result.matches += plain === "string" ? 7 : 6;
  return true;
}

/** A field or an item: what is wrong with it is forgiven where it did not change. */
function validateChild(
  node: SchemaNode,
  value: JsonValue,
  path: string,
  result: Result,
  correlated: CorrelatedValue | undefined,
): void {
  const before = result.problems.length;
  validate(node, value, path, result, correlated);
  if (correlated !== undefined && result.problems.length > before && correlated.isEqual) result.forgive(before);
}

/** Source: kube-openapi's basicCommonValidator: no value of an enum is null. */
function checkEnum({ validation, allowed }: SchemaNode, value: JsonValue, path: string, result: Result): void {
  const values = validation.enum;
  if (values.length === 0) return;
  const isOne = allowed === undefined ? values.some((one) => isSame(value, one)) : allowed.has(value);
  if (!isOne) result.add(notOneOf(path, value, values));
}

/** Go compares a value after it has been converted to the other's type. */
function isSame(value: JsonValue, allowed: JsonValue): boolean {
  if (value === null || allowed === null) return false;
  if (typeof value === "number" && Number.isSafeInteger(allowed)) return Math.trunc(value) === allowed;
  return deepEqual(value, allowed);
}

/** anyOf, oneOf, allOf and not. What did not change is not forgiven in them. Source: kube-openapi's schemaPropsValidator. */
function checkAlternatives(node: SchemaNode, value: JsonValue, path: string, result: Result): void {
  if (node.anyOf.length > 0) checkAnyOf(node.anyOf, value, path, result);
  if (node.oneOf.length > 0) checkOneOf(node.oneOf, value, path, result);
  if (node.allOf.length > 0) checkAllOf(node.allOf, value, path, result);
  if (node.not !== undefined && judge(node.not, value, path).isValid) {
    result.add(unplaced(`${goQuote(path)} must not validate the schema (not)`));
  }
  result.matches += 1;
}

function judge(node: SchemaNode, value: JsonValue, path: string): Result {
  const result = new Result();
  validate(node, value, path, result, undefined);
  return result;
}

function checkAnyOf(nodes: readonly SchemaNode[], value: JsonValue, path: string, result: Result): void {
  let best: Result | undefined;
  for (const node of nodes) {
    const one = judge(node, value, path);
    if (one.isValid) return result.merge(one);
    if (best === undefined || one.matches > best.matches) best = one;
  }
  result.add(unplaced(`${goQuote(path)} must validate at least one schema (anyOf)`));
  if (best !== undefined) result.merge(best);
}

function checkOneOf(nodes: readonly SchemaNode[], value: JsonValue, path: string, result: Result): void {
  const results = nodes.map((node) => judge(node, value, path));
  const valid = results.filter((one) => one.isValid);
  if (valid.length === 1) return result.merge(valid[0] as Result);
  const found = valid.length === 0 ? "none valid" : `${valid.length} valid alternatives`;
  result.add(unplaced(`${goQuote(path)} must validate one and only one schema (oneOf). Found ${found}`));
  if (valid.length > 0) return;
  const [first, ...rest] = results as [Result, ...Result[]];
  result.merge(rest.reduce((best, one) => (one.matches > best.matches ? one : best), first));
}

function checkAllOf(nodes: readonly SchemaNode[], value: JsonValue, path: string, result: Result): void {
  let valid = 0;
  for (const node of nodes) {
    const one = judge(node, value, path);
    if (one.isValid) valid += 1;
    result.merge(one);
  }
  if (valid === nodes.length) return;
  const none = valid === 0 ? ". None validated" : "";
  result.add(unplaced(`${goQuote(path)} must validate all the schemas (allOf)${none}`));
}
