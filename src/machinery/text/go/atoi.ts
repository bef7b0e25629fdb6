import { int64Of } from "../../../base/numbers/int64.js";
import { goQuote } from "../../../base/text/go-quote.js";

/** Go's strconv.Atoi: the number, or the text of its error. */
export function atoi(text: string): number | string {
  if (!/^[+-]?[0-9]+$/.test(text)) return `strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`;
  const value = int64Of(text);
  return value === undefined ? `strconv.Atoi: parsing ${goQuote(text)}: value out of range` : Number(value);
}
