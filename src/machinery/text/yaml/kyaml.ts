import { compareKeys } from "../../../base/collections/key-order.js";
import { encodeNumber, encodeString } from "../../wire/json/json-encoder.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../meta/json.js";
import { asPassedThroughJson } from "./through-json.js";
import { YamlError } from "./yaml-error.js";
import { parseFloatLiteral, parseIntegerLiteral } from "../go/number-syntax.js";

export interface KyamlOptions {
  /** Members in the order they have, as Go writes the fields of a type; else in the order of their keys. */
  readonly inGivenOrder?: boolean;
}

/**
 * One document of KYAML, the dialect of sigs.k8s.io/yaml/kyaml: YAML's flow style with every text quoted, keys bare where no
 * YAML reader mistakes them, a comma behind each member. Begins with `---`, ends in a line break. Throws
 * {@link YamlError} for what kubectl cannot read back from its own JSON.
 */
export function emitKyaml(value: unknown, { inGivenOrder = false }: KyamlOptions = {}): string {
  return `---\n${emitValue(value as JsonValue, 0, inGivenOrder)}\n`;
}

const indentation = "  ";

function emitValue(value: JsonValue, depth: number, inGivenOrder: boolean): string {
  if (typeof value === "string") return quoteText(asPassedThroughJson(value), depth + 1);
  if (Array.isArray(value)) return emitList(value, depth, inGivenOrder);
  if (isJsonObject(value)) return emitObject(value, depth, inGivenOrder);
  return typeof value === "number" ? encodeNumber(value) : String(value);
}

/** Lists of lists and objects stay on one line with their brackets; of anything else each item has a line. */
function emitList(list: readonly JsonValue[], depth: number, inGivenOrder: boolean): string {
  if (list.length === 0) return "[]";
  if (list.every((item) => typeof item === "object" && item !== null)) {
    return `[${list.map((item) => emitValue(item, depth, inGivenOrder)).join(", ")}]`;
  }
  const inner = indentation.repeat(depth + 1);
  const lines = list.map((item) => `${inner}${emitValue(item, depth + 1, inGivenOrder)},\n`);
  return `[\n${lines.join("")}${indentation.repeat(depth)}]`;
}

function emitObject(object: JsonObject, depth: number, inGivenOrder: boolean): string {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  if (members.length === 0) return "{}";
  // A key that JavaScript takes for an index has lost its place; types have none such, and Go sorts its maps.
  if (!inGivenOrder || members.some(([key]) => /^[0-9]+$/.test(key))) {
    members.sort(([a], [b]) => compareKeys(a, b));
  }
  const inner = indentation.repeat(depth + 1);
  const lines = members.map(
    ([key, value]) => `${inner}${emitKey(key)}: ${emitValue(value, depth + 1, inGivenOrder)},\n`,
  );
  return `{\n${lines.join("")}${indentation.repeat(depth)}}`;
}

/** YAML's readers want the colon within this many characters of where a key begins; here it is as in JSON. */
const maxKeyLength = 1_024;

function emitKey(key: string): string {
  if (encodeString(key).length > maxKeyLength) throw new YamlError("yaml: did not find expected ',' or '}'");
  const text = asPassedThroughJson(key);
  if (!text.includes("\n") && !needsQuotes(text)) return text;
  return `"${Array.from(text, (character) => compactEscapes.get(character) ?? escaped(character)).join("")}"`;
}

const compactEscapes: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\t", "\\t"],
]);

/** What Go takes for space, line breaks left out. */
const SPACE = /^[\t\v\f\r\p{Z}]/u;

/** Text of several lines is folded: a line of its own for each, one space deeper, so that leading space can be escaped. */
function quoteText(text: string, depth: number): string {
  if (!text.includes("\n")) return `"${Array.from(text, escapedInText).join("")}"`;
  const margin = indentation.repeat(depth);
  const lines = text.split("\n");
  const folded = lines.map((line, index) => {
    const isLast = index === lines.length - 1;
    if (isLast && line === "") return "";
    const start = SPACE.test(line) ? "\\" : " ";
    const shown = Array.from(line, escapedInText).join("");
    return `${margin}${start}${shown}${isLast ? "" : "\\n"}\\\n`;
  });
  return `"\\\n${folded.join("")}${margin}"`;
}

function escapedInText(character: string): string {
  return character === "\t" ? character : escaped(character);
}

const named: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\0", "\\0"],
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\v", "\\v"],
  ["\u001b", "\\e"],
  ["\u0085", "\\N"],
  ["\u00a0", "\\_"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function escaped(character: string): string {
  const known = named.get(character);
  if (known !== undefined) return known;
  if (PRINTABLE.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

const BARE = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?$/u;

/** Whether a key may not stand without quotes: for its characters, or because some YAML reader takes it for no text. */
function needsQuotes(key: string): boolean {
  return !BARE.test(key) || isWord(key) || isNumber(key) || isTimestamp(key);
}

/** YAML 1.1's words for nothing, yes and no, in any case; `t` and `f` are Go's. */
const words = new Set(["null", "true", "y", "yes", "on", "false", "n", "no", "off", "t", "f"]);

function isWord(key: string): boolean {
  return words.has(key.toLowerCase());
}

const NOT_FINITE = /^(?:[+-]?(?:inf|infinity)|nan)$/i;
const MAX = 2n ** 63n - 1n;

function isNumber(key: string): boolean {
  const plain = key.replaceAll("_", "");
  const integer = parseIntegerLiteral(plain);
  if (integer !== undefined && integer <= MAX) return true;
  return NOT_FINITE.test(plain) || parseFloatLiteral(plain) !== undefined;
}

const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d)))?$/;

/** Only what exists: the 30th of February is a text. Times with a space are none of the characters a bare key has. */
function isTimestamp(key: string): boolean {
  const match = TIMESTAMP.exec(key);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  return isDate && hour < 24 && minute < 60 && second < 60 && zoneHour <= 24 && zoneMinute < 60;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
