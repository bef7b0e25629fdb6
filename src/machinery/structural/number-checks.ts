import type { ValueValidation } from "./value-validation.js";
import { type Bound, notMultiple, notPositiveFactor, outOfBound, unplaced } from "./problems.js";
import type { Result } from "./validation-result.js";

/** A number's limits, and the type and format it must fit; "" for a schema of another type or of several. */
export interface NumberRules {
  readonly type: "integer" | "number" | "";
  readonly format: string;
  readonly validation: ValueValidation;
}

/** Whether Go decodes a number as an int64; otherwise as a float64. */
export function isInt64(value: number | bigint): boolean {
  return typeof value === "bigint" ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
}

/** Validates a number. Source: kube-openapi's numberValidator. */
export function checkNumber(value: number | bigint, rules: NumberRules, path: string, result: Result): void {
  const { multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum } = rules.validation;
  checkRange(value, rules, "Checked", path, result);
  if (multipleOf !== undefined) checkMultiple(value, multipleOf, rules, path, result);
  if (minimum !== undefined)
    checkBound(value, "minimum", { limit: minimum, exclusive: exclusiveMinimum }, rules, path, result);
  if (maximum !== undefined)
    checkBound(value, "maximum", { limit: maximum, exclusive: exclusiveMaximum }, rules, path, result);
  result.matches += 1;
}

/** Whether a value, or a limit, fits the schema's type and format. */
function checkRange(
  value: number | bigint,
  { type, format }: NumberRules,
  what: string,
  path: string,
  result: Result,
): boolean {
  if (fits(value, type, format)) return true;
  const suffix = format === "" ? `${type} (default format)` : `${type} with format ${format}`;
  result.add(unplaced(`${what} value must be of type ${suffix} in ${path}`));
  return false;
}

function fits(value: number | bigint, type: string, format: string): boolean {
  if (type === "integer") {
    if (typeof value === "number" && !Number.isInteger(value)) return false;
    if (format === "int32") return value >= -(2 ** 31) && value < 2 ** 31;
    return value >= -(2 ** 63) && value < 2 ** 63;
  }
  return format !== "float" || Number.isFinite(Math.fround(Number(value)));
}

interface Limit {
  readonly limit: number;
  readonly exclusive: boolean;
}

function checkBound(
  value: number | bigint,
  bound: Bound,
  { limit, exclusive }: Limit,
  rules: NumberRules,
  path: string,
  result: Result,
): void {
  const what = bound === "minimum" ? "Minimum boundary" : "Maximum boundary";
  // An int64 is compared with the limit's whole part, unless the limit does not fit the type.
  const whole = checkRange(limit, rules, what, path, result) && isInt64(value);
  const compared = whole ? Math.trunc(limit) : limit;
  const isInside = bound === "minimum" ? value >= compared : value <= compared;
  if (isInside && !(exclusive && value == compared)) return;
  result.add(outOfBound(path, value, bound, { limit, exclusive, whole }));
}

function checkMultiple(value: number | bigint, factor: number, rules: NumberRules, path: string, result: Result): void {
  const whole = checkRange(factor, rules, "MultipleOf", path, result) && isInt64(value);
  const used = whole ? Math.trunc(factor) : factor;
  if (used <= 0) result.add(notPositiveFactor(path, factor, whole));
  else if (whole ? !isWholeMultiple(value, used) : !isNearlyWhole(quotient(Number(value), factor))) {
    result.add(notMultiple(path, value, factor, whole));
  }
}

const isWholeMultiple = (value: number | bigint, factor: number): boolean =>
  typeof value === "bigint" ? value % BigInt(factor) === 0n : value % factor === 0;

const quotient = (value: number, factor: number): number => (factor < 1 ? (1 / factor) * value : value / factor);

const SMALLEST_DIFFERENCE = 1e-9;

/** Whether a float is an integer but for rounding. Source: swag's IsFloat64AJSONInteger. */
export function isNearlyWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  if (whole === 0) return false;
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < SMALLEST_DIFFERENCE;
}
