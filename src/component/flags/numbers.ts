import { strconvError } from "../../base/text/go-errors.js";

const TRUE = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const FALSE = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/** Parses a bool as strconv.ParseBool does. */
export function parseBool(text: string): boolean {
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw strconvError("ParseBool", text, "invalid syntax");
}

const DIGITS: Readonly<Record<number, RegExp>> = { 2: /^[01]+$/, 8: /^[0-7]+$/, 10: /^[0-9]+$/, 16: /^[0-9a-fA-F]+$/ };

/**
 * Parses an integer as strconv.ParseInt does. Base 0 reads 0x, 0o, 0b and a leading 0 (octal), and underscores between digits. @throws with
 * Go's text for bad syntax, and for a value beyond `bits`
 */
export function parseInteger(text: string, bits: 32 | 64, base: 0 | 10 = 0): bigint {
  const bad = (): Error => strconvError("ParseInt", text, "invalid syntax");
  const sign = text.startsWith("-") ? -1n : 1n;
  let digits = /^[+-]/.test(text) ? text.slice(1) : text;
  let radix = 10;
  if (base === 0) {
    const [prefix, prefixRadix] = integerPrefix(digits);
    if (digits.includes("_") && !underscoresFit(digits)) throw bad();
    digits = digits.slice(prefix).replaceAll("_", "");
    radix = prefixRadix;
  }
  if (!DIGITS[radix]?.test(digits)) throw bad();
  const value = sign * toBigInt(digits, radix);
  if (BigInt.asIntN(bits, value) !== value) throw strconvError("ParseInt", text, "value out of range");
  return value;
}

function integerPrefix(digits: string): [length: number, radix: number] {
  const head = digits.slice(0, 2).toLowerCase();
  if (digits.length > 2) {
    if (head === "0x") return [2, 16];
    if (head === "0o") return [2, 8];
    if (head === "0b") return [2, 2];
  }
  return digits.length > 1 && digits.startsWith("0") ? [1, 8] : [0, 10];
}

/** An underscore must stand between digits, or between the base prefix and a digit. */
const underscoresFit = (digits: string): boolean =>
  /^(0[xX](_?[0-9a-fA-F])+|0[bB](_?[01])+|0[oO](_?[0-7])+|[0-9](_?[0-9])*)$/.test(digits);

function toBigInt(digits: string, radix: number): bigint {
  const prefix = radix === 16 ? "0x" : radix === 8 ? "0o" : radix === 2 ? "0b" : "";
  return BigInt(prefix + digits);
}

/** Parses a number as strconv.ParseFloat does, for decimal input, "inf" and "nan". */
export function parseFloat64(text: string): number {
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (named !== null) return /nan/i.test(text) ? Number.NaN : named[1] === "-" ? -Infinity : Infinity;
  if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw strconvError("ParseFloat", text, "invalid syntax");
  const value = Number(text);
  if (!Number.isFinite(value)) throw strconvError("ParseFloat", text, "value out of range");
  return value;
}
