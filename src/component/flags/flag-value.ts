import { readCsv } from "./csv.js";
import { parseDuration } from "./duration.js";
import type { FlagSpec, FlagType } from "./flag-set.js";
import { parseBool, parseFloat64, parseInteger } from "./numbers.js";

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

/** Parses the value of a flag. `before` is the value that the command line has given so far, not the default. @throws with Go's text */
export function parseFlagValue(spec: FlagSpec, text: string, before: FlagValue | undefined): FlagValue {
  return "parse" in spec ? spec.parse(text, Array.isArray(before) ? before : []) : PARSERS[spec.type](text, before);
}

/** Returns the value of a flag that is not given. */
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

/** Returns the value of a flag that stands alone; undefined when the flag needs a value. */
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
