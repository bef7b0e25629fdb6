import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../machinery/errors/field-error.js";
import { absent, number } from "../../machinery/meta/access.js";
import type { NameRule } from "../../machinery/validation/names.js";

/**
 * Field errors to which a rule adds its own. Kinds that are deep and often created use this: a valid value allocates nothing. An
 * absent value has no errors unless the rule says so.
 */
export type Errors = FieldError[];

export function check(value: string, path: string, rule: NameRule, errors: Errors): void {
  for (const message of rule(value)) errors.push(invalidValue(path, value, message));
}

/** As {@link check}, for a required value. */
export function checkRequired(value: string, path: string, rule: NameRule, errors: Errors): void {
  if (value === "") errors.push(required(path));
  else check(value, path, rule, errors);
}

export function checkNonNegative(value: unknown, path: string, errors: Errors): void {
  if (!absent(value) && number(value) < 0) errors.push(invalidValue(path, value, "must be greater than or equal to 0"));
}

export function checkRange(value: unknown, path: string, low: number, high: number, errors: Errors): void {
  if (absent(value) || (number(value) >= low && number(value) <= high)) return;
  errors.push(invalidValue(path, value, `must be between ${low} and ${high}, inclusive`));
}

export function checkOneOf(value: unknown, path: string, allowed: readonly string[], errors: Errors): void {
  if (!absent(value) && !(typeof value === "string" && allowed.includes(value))) {
    errors.push(notSupported(path, value, allowed));
  }
}

/** As {@link checkOneOf}, for a required value. */
export function checkRequiredOneOf(value: unknown, path: string, allowed: readonly string[], errors: Errors): void {
  if (absent(value) || value === "") errors.push(required(path));
  else checkOneOf(value, path, allowed, errors);
}

/** Checks that a field is absent because it excludes another one. */
export function checkAbsent(value: unknown, path: string, detail: string, errors: Errors): void {
  if (!absent(value)) errors.push(forbiddenField(path, detail));
}
