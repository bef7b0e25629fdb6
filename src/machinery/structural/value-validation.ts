import { isFields, list, objects, text, type ReadonlyFields } from "../meta/access.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import type { StructuralSchema } from "./structural-schema.js";

/** The rules of a schema that restrict its type's values. Numbers are as Go keeps them: limits of values are float64, those of sizes int64. */
export interface ValueValidation {
  readonly format: string;
  readonly pattern: string;
  readonly enum: readonly JsonValue[];
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf: number | undefined;
  /** Of characters. */
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly required: readonly string[];
  readonly allOf: readonly StructuralSchema[];
  readonly anyOf: readonly StructuralSchema[];
  readonly oneOf: readonly StructuralSchema[];
  readonly not: StructuralSchema | undefined;
}

/** The narrowing part of a schema; `nested` makes the schemas of junctors. */
export function valueValidationOf(
  source: JsonObject,
  nested: (source: JsonObject) => StructuralSchema,
): ValueValidation {
  const each = (name: string): readonly StructuralSchema[] =>
    source[name] === undefined ? NONE : objects(source[name]).map((one) => nested(one as JsonObject));
  return {
    format: text(source.format),
    pattern: text(source.pattern),
    enum: list(source.enum) as readonly JsonValue[],
    maximum: numberOf(source.maximum),
    exclusiveMaximum: source.exclusiveMaximum === true,
    minimum: numberOf(source.minimum),
    exclusiveMinimum: source.exclusiveMinimum === true,
    multipleOf: numberOf(source.multipleOf),
    maxLength: numberOf(source.maxLength),
    minLength: numberOf(source.minLength),
    maxItems: numberOf(source.maxItems),
    minItems: numberOf(source.minItems),
    uniqueItems: source.uniqueItems === true,
    maxProperties: numberOf(source.maxProperties),
    minProperties: numberOf(source.minProperties),
    required: source.required === undefined ? NO_NAMES : list(source.required).map(text),
    allOf: each("allOf"),
    anyOf: each("anyOf"),
    oneOf: each("oneOf"),
    not: isFields(source.not) ? nested(source.not) : undefined,
  };
}

const NONE: readonly StructuralSchema[] = [];
const NO_NAMES: readonly string[] = [];

/** A value as a number; undefined for any other type. */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;

/** A rule of x-kubernetes-validations, as the definition has it. */
export interface ValidationRule {
  /** CEL. */
  readonly rule: string;
  readonly message?: string;
  /** CEL that makes the message. */
  readonly messageExpression?: string;
  readonly reason?: string;
  /** Of the field that the error names, from the rule's place on: ".spec.colour". */
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** Reads a rule, without the fields that are absent or null. */
export function validationRuleOf(source: ReadonlyFields): ValidationRule {
  const { optionalOldSelf } = source;
  const given = NAMES.flatMap((name) => (text(source[name]) === "" ? [] : [[name, source[name]] as const]));
  return {
    rule: text(source.rule),
    ...Object.fromEntries(given),
    ...(typeof optionalOldSelf === "boolean" && { optionalOldSelf }),
  };
}

const NAMES = ["message", "messageExpression", "reason", "fieldPath"];
