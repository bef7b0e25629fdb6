import { goQuote } from "../text/go-quote.js";

/** Of "-9223372036854775808". */
const LONGEST = 20;

/**
 * Parses decimal digits with an optional sign; undefined for a number beyond int64. Very long digits are rejected unread: to parse a million
 * of them would take seconds.
 */
export function int64Of(digits: string): bigint | undefined {
  const [, sign = "", magnitude = ""] = /^([+-]?)0*([1-9]\d*)?$/.exec(digits) ?? [];
  if (magnitude.length >= LONGEST) return undefined;
  const value = BigInt(magnitude === "" ? 0 : `${sign === "-" ? "-" : ""}${magnitude}`);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/**
 * Parses a decimal int64 with an optional sign; the result is a bigint beyond 2^53. Throws with the text of Go's strconv.ParseInt:
 * `strconv.ParseInt: parsing "3x": invalid syntax`.
 */
export function parseInt64(text: string): number | bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) throw fault(text, "invalid syntax");
  const value = int64Of(text);
  if (value === undefined) throw fault(text, "value out of range");
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

function fault(text: string, what: string): Error {
  return new Error(`strconv.ParseInt: parsing ${goQuote(text)}: ${what}`);
}
