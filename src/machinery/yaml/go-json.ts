import type { JsonObject, JsonValue } from "../meta/json.js";

/** A JSON text that Go's decoder would refuse, in its words. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  /** Index of the offending character; undefined when the text ended too early. */
  readonly index: number | undefined;

  constructor(message: string, index?: number) {
    super(message);
    this.index = index;
  }
}

export interface JsonRead {
  readonly value: JsonValue;
  /** Just after the value. */
  readonly end: number;
}

type Open =
  | { readonly kind: "array"; readonly value: JsonValue[] }
  | { readonly kind: "object"; readonly value: JsonObject; key: string };

const maxDepth = 10_000;
const space = /[ \t\r\n]*/y;
const number = /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const plainString = /"[^"\\\p{Cc}]*"/uy;

/**
 * Reads one JSON value at `start` and says where it ends; undefined when only white space is left. The last of duplicate
 * keys wins. Throws {@link JsonSyntaxError}. Iterative: depth costs no stack.
 */
export function readJsonValue(text: string, start: number): JsonRead | undefined {
  let at = skipSpace(text, start);
  if (at >= text.length) return undefined;
  const open: Open[] = [];
  for (;;) {
    const character = text[at];
    let value: JsonValue;
    if (character === "{" || character === "[") {
      if (open.length >= maxDepth) throw new JsonSyntaxError("exceeded max depth", at);
      const first = skipSpace(text, at + 1);
      const closer = character === "{" ? "}" : "]";
      if (text[first] === closer) {
        value = character === "{" ? {} : [];
        at = first + 1;
      } else if (character === "[") {
        open.push({ kind: "array", value: [] });
        at = first;
        continue;
      } else {
        const read = readKey(text, first);
        open.push({ kind: "object", value: {}, key: read.key });
        at = read.end;
        continue;
      }
    } else {
      const read = readScalar(text, at);
      value = read.value;
      at = read.end;
    }
    // The value is whole: put it where it belongs, and close what it closes.
    for (;;) {
      const parent = open.at(-1);
      if (parent === undefined) return { value, end: at };
      if (parent.kind === "array") parent.value.push(value);
      else setOwn(parent.value, parent.key, value);
      at = skipSpace(text, at);
      const next = text[at];
      const closer = parent.kind === "array" ? "]" : "}";
      if (next === ",") {
        at = skipSpace(text, at + 1);
        if (parent.kind === "object") {
          const read = readKey(text, at);
          parent.key = read.key;
          at = read.end;
        }
        break;
      }
      if (next !== closer)
        throw unexpected(text, at, parent.kind === "array" ? "after array element" : "after object key:value pair");
      value = parent.value;
      at += 1;
      open.pop();
    }
  }
}

function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

function skipSpace(text: string, at: number): number {
  space.lastIndex = at;
  space.exec(text);
  return space.lastIndex;
}

function readKey(text: string, at: number): { key: string; end: number } {
  if (text[at] !== '"') throw unexpected(text, at, "looking for beginning of object key string");
  const read = readString(text, at);
  const colon = skipSpace(text, read.end);
  if (text[colon] !== ":") throw unexpected(text, colon, "after object key");
  return { key: read.value, end: skipSpace(text, colon + 1) };
}

function readScalar(text: string, at: number): { value: JsonValue; end: number } {
  const character = text[at];
  if (character === '"') return readString(text, at);
  if (character === "t") return readWord(text, at, "true", true);
  if (character === "f") return readWord(text, at, "false", false);
  if (character === "n") return readWord(text, at, "null", null);
  if (character === "-" || (character !== undefined && character >= "0" && character <= "9"))
    return readNumber(text, at);
  throw unexpected(text, at, "looking for beginning of value");
}

function readWord(text: string, at: number, word: string, value: JsonValue): { value: JsonValue; end: number } {
  for (let offset = 1; offset < word.length; offset += 1) {
    if (text[at + offset] !== word[offset]) {
      throw unexpected(text, at + offset, `in literal ${word} (expecting '${word[offset]}')`);
    }
  }
  return { value, end: at + word.length };
}

function readNumber(text: string, at: number): { value: JsonValue; end: number } {
  number.lastIndex = at;
  const match = number.exec(text);
  const end = number.lastIndex;
  if (match === null) throw unexpected(text, at + 1, "in numeric literal");
  if (match[2] === undefined && match[3] === undefined && text[end] === ".") {
    throw unexpected(text, end + 1, "after decimal point in numeric literal");
  }
  if (match[3] === undefined && /[eE]/.test(text[end] ?? "")) {
    const signed = /[-+]/.test(text[end + 1] ?? "") ? 2 : 1;
    throw unexpected(text, end + signed, "in exponent of numeric literal");
  }
  return { value: jsonNumber(match[0]), end };
}

/** Integers stay exact within int64; everything else is a double. */
export function jsonNumber(literal: string): JsonValue {
  const value = Number(literal);
  if (Object.is(value, -0)) return 0;
  if (Number.isSafeInteger(value) || /[.eE]/.test(literal)) return value;
  const whole = BigInt(literal);
  return BigInt.asIntN(64, whole) === whole ? whole : value;
}

function readString(text: string, at: number): { value: string; end: number } {
  plainString.lastIndex = at;
  const plain = plainString.exec(text);
  if (plain !== null) return { value: plain[0].slice(1, -1), end: plainString.lastIndex };
  let index = at + 1;
  for (;;) {
    const character = text[index];
    if (character === undefined) throw new JsonSyntaxError("unexpected EOF");
    if (character === '"') break;
    if (character < " ") throw unexpected(text, index, "in string literal");
    index += character === "\\" ? escapeLength(text, index) : 1;
  }
  const parsed: unknown = JSON.parse(text.slice(at, index + 1));
  return { value: String(parsed), end: index + 1 };
}

function escapeLength(text: string, at: number): number {
  const kind = text[at + 1];
  if (kind === undefined) throw new JsonSyntaxError("unexpected EOF");
  if (kind !== "u") {
    if (!'"\\/bfnrt'.includes(kind)) throw unexpected(text, at + 1, "in string escape code");
    return 2;
  }
  for (let index = at + 2; index < at + 6; index += 1) {
    if (!/^[0-9a-fA-F]$/.test(text[index] ?? "")) throw unexpected(text, index, "in \\u hexadecimal character escape");
  }
  return 6;
}

function unexpected(text: string, at: number, context: string): JsonSyntaxError {
  if (at >= text.length) return new JsonSyntaxError("unexpected EOF");
  return new JsonSyntaxError(`invalid character ${quoteByte(text, at)} ${context}`, at);
}

/** Go names the offending byte, not the character it belongs to. */
function quoteByte(text: string, at: number): string {
  const first = new TextEncoder().encode(String.fromCodePoint(text.codePointAt(at) ?? 0))[0] ?? 0;
  const character = String.fromCharCode(first);
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  const named = new Map([
    ["\n", "\\n"],
    ["\r", "\\r"],
    ["\t", "\\t"],
    ["\b", "\\b"],
    ["\f", "\\f"],
    ["\v", "\\v"],
    ["\u0007", "\\a"],
    ["\\", "\\\\"],
  ]).get(character);
  if (named !== undefined) return `'${named}'`;
  if (first < 0x20 || first === 0x7f) return `'\\x${first.toString(16).padStart(2, "0")}'`;
  if (first >= 0x80 && first <= 0xa0) return `'\\u00${first.toString(16)}'`;
  return first === 0xad ? "'\\u00ad'" : `'${character}'`;
}
