import { goQuote } from "./go-quote.js";

/** Names for the faults of a number; Go's texts that reach users of kubectl are all made in this file. */
export type NumberFault = "invalid syntax" | "value out of range";

/** Returns the text of a strconv error: `strconv.ParseInt: parsing "3x": invalid syntax`. */
export function strconvError(
  func: "ParseInt" | "ParseUint" | "ParseBool" | "ParseFloat" | "Atoi",
  text: string,
  fault: NumberFault,
): Error {
  return new Error(`strconv.${func}: parsing ${goQuote(text)}: ${fault}`);
}

export const invalidDuration = (text: string): Error => new Error(`time: invalid duration ${goQuote(text)}`);

export const missingUnit = (text: string): Error => new Error(`time: missing unit in duration ${goQuote(text)}`);

export const unknownUnit = (unit: string, text: string): Error =>
  new Error(`time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`);

export type CsvFault = 'bare " in non-quoted-field' | 'extraneous or missing " in quoted-field';

/** Returns the text of an encoding/csv error. `column` counts from 1, in bytes. */
export const csvError = (line: number, column: number, fault: CsvFault): Error =>
  new Error(`parse error on line ${line}, column ${column}: ${fault}`);

/** Quotes one character as Go's %q does: 'x'. */
export function goQuoteChar(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  return `'${goQuote(char).slice(1, -1)}'`;
}
