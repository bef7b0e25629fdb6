import { readCsv } from "./csv.js";
import type { FlagSpec, FlagType } from "./flag-set.js";
import { invalidDuration, missingUnit, unknownUnit, strconvError } from "../../base/text/go-errors.js";

export type FlagValue = boolean | number | string | readonly string[];

/** A flag type's parser: the new value from the text and, for those that add up, what was set before. */
type Parser = (text: string, before: FlagValue | undefined) => FlagValue;

const append = (before: FlagValue | undefined, more: readonly string[]): readonly string[] =>
  Array.isArray(before) ? [...before, ...more] : more;

const PARSERS: Readonly<Record<FlagType, Parser>> = {
  bool: parseBool,
  int: (text) => Number(parseInteger(text, 64)),
  int32: (text) => Number(parseInteger(text, 32)),
  int64: (text) => Number(parseInteger(text, 64)),
  float64: parseFloat64,
  duration: parseDuration,
  string: (text) => text,
  stringSlice: (text, before) => append(before, readCsv(text)),
  stringArray: (text, before) => append(before, [text]),
  count: (text, before) => (text === "+1" ? Number(before ?? 0) + 1 : Number(parseInteger(text, 64))),
  level: (text) => Number(parseInteger(text, 32, 10)),
  moduleSpec: parseModules,
  goDuration: parseGoDuration,
};

/** Parses the value of a flag. `before` is the value from earlier occurrences on the command line, not the default. @throws with Go's text */
export function parseFlagValue(spec: FlagSpec, text: string, before: FlagValue | undefined): FlagValue {
  return "parse" in spec ? spec.parse(text, Array.isArray(before) ? before : []) : PARSERS[spec.type](text, before);
}

/** Returns the value of a flag that was not given. */
export function defaultFlagValue(spec: FlagSpec): FlagValue {
  if ("parse" in spec) return [];
  const text = defaultText(spec);
  const inner = text.slice(1, -1);
  if (spec.type === "stringSlice") return readCsv(inner);
  if (spec.type === "stringArray") return inner === "" ? [] : inner.split(",");
  return spec.type === "moduleSpec" ? text : parseFlagValue(spec, text, undefined);
}

/** Of the types whose zero is not "0". */
const ZERO: Readonly<Partial<Record<FlagSpec["type"], string>>> = {
  bool: "false",
  duration: "0s",
  goDuration: "0s",
  string: "",
  moduleSpec: "",
  mapStringString: "",
  stringSlice: "[]",
  stringArray: "[]",
  stringToString: "[]",
};

/** Returns the default as help prints it. */
export function defaultText(spec: FlagSpec): string {
  return spec.default ?? ZERO[spec.type] ?? "0";
}

/** Returns the value of a flag that is given without one; undefined when the flag needs a value. */
export function bareValue(spec: FlagSpec): string | undefined {
  return spec.bare ?? (spec.type === "bool" ? "true" : spec.type === "count" ? "+1" : undefined);
}

function parseModules(text: string): string {
  for (const entry of text.split(",")) {
    if (entry === "") continue;
    const parts = entry.split("=");
    if (parts.length !== 2 || parts[0] === "" || parts[1] === "") {
      throw new Error("syntax error: expect comma-separated list of filename=N");
    }
    if (!/^[+-]?\d+$/.test(parts[1] ?? "")) throw new Error("syntax error: expect comma-separated list of filename=N");
  }
  return text;
}

function parseGoDuration(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new Error("parse error");
  }
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1e3],
  ["\u00b5s", 1e3],
  ["\u03bcs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3600e9],
]);

const MAX_NANOSECONDS = 2 ** 63;

/** Parses a duration as Go's time.ParseDuration does ("1h30m", "-1.5s", "0"), into milliseconds. @throws with Go's text */
export function parseDuration(text: string): number {
  const negative = text.startsWith("-");
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return 0;
  if (rest === "") throw invalidDuration(text);
  let nanoseconds = 0;
  while (rest !== "") {
    const number = /^(\d*)(?:\.(\d*))?/.exec(rest);
    const digits = `${number?.[1] ?? ""}${number?.[2] ?? ""}`;
    if (number === null || digits === "") throw invalidDuration(text);
    rest = rest.slice(number[0].length);
    const unit = /^[^.\d]*/.exec(rest)?.[0] ?? "";
    if (unit === "") throw missingUnit(text);
    rest = rest.slice(unit.length);
    const scale = UNITS.get(unit);
    if (scale === undefined) throw unknownUnit(unit, text);
    nanoseconds += Number(`${number[1] || "0"}.${number[2] || "0"}`) * scale;
    if (nanoseconds > MAX_NANOSECONDS) throw invalidDuration(text);
  }
  return ((negative ? -1 : 1) * Math.trunc(nanoseconds)) / 1e6;
}

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
