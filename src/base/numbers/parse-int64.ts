import { int64Of } from "./int64.js";
import { goQuote } from "../text/go-quote.js";

/**
 * A decimal int64, with or without a sign; a bigint beyond 2^53. Throws with the text of Go's strconv.ParseInt:
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
