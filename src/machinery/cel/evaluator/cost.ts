import { spendSteps } from "../values/meter.js";
import { CelValue, OptionalValue, type Value } from "../values/value.js";

/** The cost of nodes beside their children, in cel-go's units. */
export const COST = { list: 10, map: 30, struct: 40 } as const;

/** The cost of reading a character of a text, or a character of a pattern for each character of a text. */
export const PER_CHARACTER = 0.1;
export const PER_PATTERN_CHARACTER = 0.25;

/** The cost of a call, by its arguments and its result. */
export type CallCost = (args: readonly Value[], result: Value) => number;

/** Looks up the cost of a function's calls; undefined for the default cost. The overload is undefined where the call may have several. */
export type CostOf = (name: string, overload: string | undefined) => CallCost | undefined;

const firstSize: CallCost = ([text]) => Math.ceil(sizeOf(text) * PER_CHARACTER);
const smallerSize: CallCost = ([a, b]) => Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * PER_CHARACTER);
const bothSizes: CallCost = ([a, b]) => Math.ceil((sizeOf(a) + sizeOf(b)) * PER_CHARACTER);

/** The calls of the standard library that do not cost 1, by their overloads (cel-go's runtime cost). */
export const OVERLOAD_COSTS: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ["starts_with_string", firstSize],
  ["ends_with_string", firstSize],
  ["string_to_bytes", firstSize],
  ["bytes_to_string", firstSize],
  ["strings_quote", firstSize],
  ["string_format", firstSize],
  ["in_list", (args) => sizeOf(args[1])],
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((name): [string, CallCost][] => [
    [`${name}_string`, smallerSize],
    [`${name}_bytes`, smallerSize],
  ]),
  ["equals", smallerSize],
  ["not_equals", smallerSize],
  ["add_string", bothSizes],
  ["add_bytes", bothSizes],
  [
    "matches_string",
    ([text, pattern]) =>
      Math.ceil((1 + sizeOf(text)) * PER_CHARACTER) * Math.ceil(sizeOf(pattern) * PER_PATTERN_CHARACTER),
  ],
  [
    "contains_string",
    ([text, part]) => Math.ceil(sizeOf(text) * PER_CHARACTER) * Math.ceil(sizeOf(part) * PER_CHARACTER),
  ],
]);

/** The size that costs are computed with: code points, bytes, elements or entries; 1 for all that has no size. */
export function sizeOf(value: Value | undefined): number {
  if (typeof value === "string") {
    spendSteps(value.length / 64);
    return codePoints(value);
  }
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof OptionalValue) return sizeOf(value.value);
  if (value instanceof CelValue) return value.size ?? 1;
  return 1;
}

const SURROGATE = /[\ud800-\udbff]/;

/** The number of code points in a string. Most texts have no surrogates, and one regular expression tells so faster than a loop. */
export function codePoints(text: string): number {
  let count = text.length;
  if (!SURROGATE.test(text)) return count;
  for (let index = 0; index < text.length - 1; index++) {
    const code = text.charCodeAt(index);
    if (code < 0xd800 || code > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}
