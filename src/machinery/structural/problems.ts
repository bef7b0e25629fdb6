import { goQuote } from "../../base/text/go-quote.js";
import { encodeJson } from "../wire/json/json-encoder.js";
import { formatG } from "../text/go/format-g.js";
import type { JsonValue, JsonObject } from "../meta/json.js";
import type { Problem } from "./validation-result.js";
import { isFields } from "../meta/access.js";
import { setOwn } from "../patch/json-values.js";

/**
 * The problems that kube-openapi's validation finds, in its words. Source: kube-openapi's pkg/validation/errors and
 * apiextensions' kubeOpenAPIResultToFieldErrors, which makes field errors of them.
 */

const invalid = (path: string, badValue: unknown, detail: string): Problem => ({
  type: "FieldValueInvalid",
  path,
  badValue: badValue ?? "",
  detail,
  text: detail,
});

/** Makes the problem of a value with a wrong type or format; `found` is the name of its type or its text, which is shown as the value. */
export function wrongType(path: string, type: string, found: string): Problem {
  const detail = `${path} in body must be of type ${type}: ${goQuote(found)}`;
  return { type: "FieldValueTypeInvalid", path, badValue: found, detail, text: detail };
}

export const missing = (path: string): Problem => ({
  type: "FieldValueRequired",
  path,
  detail: "",
  text: `${path} in body is required`,
});

export function notOneOf(path: string, value: JsonValue, allowed: readonly JsonValue[]): Problem {
  const texts = allowed.map((one) => goQuote(typeof one === "string" ? one : encodeJson(one, { sortKeys: true })));
  const detail = `supported values: ${texts.join(", ")}`;
  return {
    type: "FieldValueNotSupported",
    path,
    badValue: inKeyOrder(value),
    detail,
    text: `${path} in body: ${detail}`,
  };
}

export const longerThan = (path: string, most: number): Problem => ({
  type: "FieldValueTooLong",
  path,
  detail: `may not be more than ${most} ${most === 1 ? "byte" : "bytes"}`,
  text: `${path} in body should be at most ${most} chars long`,
});

export const moreThan = (path: string, what: "items" | "properties", count: number, most: number): Problem => ({
  type: "FieldValueTooMany",
  path,
  badValue: count,
  detail: `must have at most ${most} ${most === 1 ? "item" : "items"}`,
  text: `${path} in body should have at most ${most} ${what}`,
});

export const fewerThan = (path: string, what: "items" | "properties", count: number, least: number): Problem =>
  invalid(path, count, `${path} in body should have at least ${least} ${what}`);

export const shorterThan = (path: string, value: string, least: number): Problem =>
  invalid(path, value, `${path} in body should be at least ${least} chars long`);

export const notLike = (path: string, value: string, pattern: string): Problem =>
  invalid(path, value, `${path} in body should match '${pattern}'`);

export const repeatedItems = (path: string): Problem =>
  invalid(path, undefined, `${path} in body shouldn't contain duplicates`);

export const forbiddenProperty = (path: string, name: string): Problem =>
  invalid(path, name, `${path}.${name} in body is a forbidden property`);

export type Bound = "minimum" | "maximum";

const BOUNDS: Readonly<Record<Bound, readonly [inclusive: string, exclusive: string]>> = {
  minimum: ["greater than or equal to", "greater than"],
  maximum: ["less than or equal to", "less than"],
};

export function outOfBound(
  path: string,
  value: number | bigint,
  bound: Bound,
  { limit, exclusive, whole }: { readonly limit: number; readonly exclusive: boolean; readonly whole: boolean },
): Problem {
  const [inclusive, strict] = BOUNDS[bound];
  return invalid(
    path,
    value,
    `${path} in body should be ${exclusive ? strict : inclusive} ${shownNumber(limit, whole)}`,
  );
}

export const notMultiple = (path: string, value: number | bigint, factor: number, whole: boolean): Problem =>
  invalid(path, value, `${path} in body should be a multiple of ${shownNumber(factor, whole)}`);

export function notPositiveFactor(path: string, factor: number, whole: boolean): Problem {
  const detail = `factor MultipleOf declared for ${path} must be positive: ${shownNumber(factor, whole)}`;
  return invalid(path, whole ? Math.trunc(factor) : factor, detail);
}

/** Makes a problem without a path, as kube-openapi reports some. */
export const unplaced = (detail: string): Problem => ({
  type: "FieldValueInvalid",
  path: undefined,
  badValue: "",
  detail,
  text: detail,
});

/** A number as Go prints an int64, or a float64. */
function shownNumber(value: number, whole: boolean): string {
  if (!whole) return formatG(value);
  const integer = Math.trunc(value);
  return Number.isSafeInteger(integer) ? String(integer) : BigInt(integer).toString();
}

/** Returns a copy with sorted keys, as Go prints a map, for values in errors. */
export function inKeyOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isFields(value)) return value;
  const ordered: JsonObject = {};
  for (const name of Object.keys(value).sort()) setOwn(ordered, name, inKeyOrder(value[name] as JsonValue));
  return ordered;
}
