import { goQuote } from "../../base/go-quote.js";

/** Go's strconv.Atoi: the number, or its error's text. */
export function atoi(text: string): number | string {
  if (!/^[+-]?[0-9]+$/.test(text)) return `strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`;
  const value = BigInt(text.replace(/^\+/, ""));
  if (value >= 2n ** 63n || value < -(2n ** 63n)) {
    return `strconv.Atoi: parsing ${goQuote(text)}: value out of range`;
  }
  return Number(value);
}
