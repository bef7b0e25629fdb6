import { type FieldError, invalidValue, notSupported } from "../../machinery/errors/field-error.js";
import { absent, number } from "../../machinery/meta/access.js";
import type { NameRule } from "../../machinery/validation/names.js";

/** Small rules that validators share. Each returns the problems of one value; an absent value has none. */

export const IMMUTABLE = "field is immutable";

export function nonNegative(value: unknown, path: string): FieldError[] {
  return !absent(value) && number(value) < 0 ? [invalidValue(path, value, "must be greater than or equal to 0")] : [];
}

export function oneOf(value: unknown, path: string, allowed: readonly string[]): FieldError[] {
  return absent(value) || (typeof value === "string" && allowed.includes(value))
    ? []
    : [notSupported(path, value, allowed)];
}

/** Applies a rule for names or numbers, and returns its messages as field errors. */
export function named(value: string, path: string, rule: NameRule): FieldError[] {
  return rule(value).map((message) => invalidValue(path, value, message));
}

/** Whether two values are equal for Kubernetes: empty lists, maps and structs count as absent. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (isEmpty(a) && isEmpty(b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
    sameValue(own(left, key), own(right, key)),
  );
}

/** The indexes of the values that occur earlier in the list. */
export function repeatedAt(values: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const repeated = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) repeated.add(index);
    else seen.add(value);
  }
  return repeated;
}

export function immutable(value: unknown, old: unknown, path: string): FieldError[] {
  return sameValue(value, old) ? [] : [invalidValue(path, value ?? null, IMMUTABLE)];
}

function own(fields: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function isEmpty(value: unknown): boolean {
  if (absent(value)) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && value !== null && Object.values(value).every((held) => isEmpty(held));
}
