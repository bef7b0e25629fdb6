import { goQuote } from "../../base/go-quote.js";
import type { JsonObject, JsonValue } from "../meta/json.js";
import { setKey } from "./own-keys.js";

export type DuplicateKeys = ReadonlyMap<JsonObject, readonly string[]>;

/** A text that is not JSON, in the words of Go's encoding/json ("invalid character '}' looking for beginning of value"). */
export class JsonDecodeError extends Error {
  override readonly name = "JsonDecodeError";
  /** Index of the offending character; the length of the text when it ended too early. */
  readonly index: number;

  constructor(message: string, index: number) {
    super(message);
    this.index = index;
  }
}

interface Open {
  readonly value: JsonObject | JsonValue[];
  key: string;
  keys: string[] | undefined;
}

/**
 * The slow path: one JSON document with exact integers and all keys noted. Iterative, so depth costs no stack.
 * Throws {@link JsonDecodeError}.
 */
export function parseExactJson(
  text: string,
  maxDepth: number,
): { value: JsonValue; duplicates?: DuplicateKeys | undefined } {
  const duplicates = new Map<JsonObject, readonly string[]>();
  const open: Open[] = [];
  let at = skipSpace(text, 0);
  for (;;) {
    let value: JsonValue;
    const character = text[at];
    if (character === "{" || character === "[") {
      if (open.length >= maxDepth) throw invalid(text, at, "exceeded max depth");
      const next = skipSpace(text, at + 1);
      if (text[next] === (character === "{" ? "}" : "]")) {
        value = character === "{" ? {} : [];
        at = next + 1;
      } else {
        const opened: Open = { value: character === "{" ? {} : [], key: "", keys: character === "{" ? [] : undefined };
        open.push(opened);
        at = character === "{" ? readKey(text, next, opened) : next;
        continue;
      }
    } else {
      const scalar = readScalar(text, at);
      value = scalar.value;
      at = scalar.end;
    }
    for (;;) {
      const parent = open.at(-1);
      if (parent === undefined) {
        const end = skipSpace(text, at);
        if (end < text.length) throw invalid(text, end, "after top-level value");
        return { value, ...(duplicates.size === 0 ? {} : { duplicates }) };
      }
      if (Array.isArray(parent.value)) parent.value.push(value);
      else setKey(parent.value, parent.key, value);
      at = skipSpace(text, at);
      if (text[at] === ",") {
        at = skipSpace(text, at + 1);
        if (parent.keys !== undefined) at = readKey(text, at, parent);
        break;
      }
      const isArray = Array.isArray(parent.value);
      if (text[at] !== (isArray ? "]" : "}")) {
        throw invalid(text, at, isArray ? "after array element" : "after object key:value pair");
      }
      at += 1;
      open.pop();
      value = parent.value;
      if (!Array.isArray(parent.value) && parent.keys !== undefined) {
        if (new Set(parent.keys).size !== parent.keys.length) duplicates.set(parent.value, parent.keys);
      }
    }
  }
}

const space = /[ \t\r\n]*/y;
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;

function skipSpace(text: string, at: number): number {
  space.lastIndex = at;
  space.exec(text);
  return space.lastIndex;
}

function readKey(text: string, at: number, into: Open): number {
  if (text[at] !== '"') throw invalid(text, at, "looking for beginning of object key string");
  const { value, end } = readString(text, at);
  into.key = value;
  into.keys?.push(value);
  const colon = skipSpace(text, end);
  if (text[colon] !== ":") throw invalid(text, colon, "after object key");
  return skipSpace(text, colon + 1);
}

function readScalar(text: string, at: number): { value: JsonValue; end: number } {
  const character = text[at];
  if (character === '"') return readString(text, at);
  if (character === "t") return readWord(text, at, "true", true);
  if (character === "f") return readWord(text, at, "false", false);
  if (character === "n") return readWord(text, at, "null", null);
  if (character === "-" || (character !== undefined && character >= "0" && character <= "9")) {
    return readNumber(text, at);
  }
  throw invalid(text, at, "looking for beginning of value");
}

function readWord(text: string, at: number, word: string, value: JsonValue): { value: JsonValue; end: number } {
  for (let offset = 1; offset < word.length; offset += 1) {
    if (text[at + offset] !== word[offset]) {
      throw invalid(text, at + offset, `in literal ${word} (expecting '${word[offset]}')`);
    }
  }
  return { value, end: at + word.length };
}

function readNumber(text: string, at: number): { value: JsonValue; end: number } {
  number.lastIndex = at;
  const match = number.exec(text);
  const end = number.lastIndex;
  if (match === null) throw invalid(text, at + 1, "in numeric literal");
  if (match[1] === undefined && match[2] === undefined && text[end] === ".") {
    throw invalid(text, end + 1, "after decimal point in numeric literal");
  }
  if (match[2] === undefined && /[eE]/.test(text[end] ?? "")) {
    throw invalid(text, end + (/[-+]/.test(text[end + 1] ?? "") ? 2 : 1), "in exponent of numeric literal");
  }
  return { value: exactNumber(match[0]), end };
}

function exactNumber(literal: string): JsonValue {
  const value = Number(literal);
  if (Number.isSafeInteger(value) || /[.eE]/.test(literal)) {
    if (!Number.isFinite(value)) {
      throw new JsonDecodeError(`json: cannot unmarshal number ${literal} into Go value of type float64`, 0);
    }
    return Object.is(value, -0) ? 0 : value;
  }
  const whole = BigInt(literal);
  return BigInt.asIntN(64, whole) === whole ? whole : value;
}

function readString(text: string, at: number): { value: string; end: number } {
  let index = at + 1;
  for (;;) {
    const character = text[index];
    if (character === undefined) throw new JsonDecodeError("unexpected end of JSON input", index);
    if (character === '"') break;
    if (character < " ") throw invalid(text, index, "in string literal");
    index += character === "\\" ? escapeLength(text, index) : 1;
  }
  const value: unknown = JSON.parse(text.slice(at, index + 1));
  return { value: String(value), end: index + 1 };
}

function escapeLength(text: string, at: number): number {
  const kind = text[at + 1];
  if (kind === undefined || !'"\\/bfnrtu'.includes(kind)) throw invalid(text, at + 1, "in string escape code");
  if (kind !== "u") return 2;
  for (let index = at + 2; index < at + 6; index += 1) {
    if (!/^[0-9a-fA-F]$/.test(text[index] ?? "")) {
      throw invalid(text, index, "in \\u hexadecimal character escape");
    }
  }
  return 6;
}

function invalid(text: string, at: number, context: string): JsonDecodeError {
  if (at >= text.length) return new JsonDecodeError("unexpected end of JSON input", text.length);
  if (context === "exceeded max depth") return new JsonDecodeError(context, at);
  return new JsonDecodeError(`invalid character ${quoteByte(text, at)} ${context}`, at);
}

/** Go names the first byte of the character, as if it were a character of its own. */
function quoteByte(text: string, at: number): string {
  const byte = new TextEncoder().encode(String.fromCodePoint(text.codePointAt(at) ?? 0))[0] ?? 0;
  const character = String.fromCharCode(byte);
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  const quoted = goQuote(character);
  return `'${quoted.slice(1, -1)}'`;
}
