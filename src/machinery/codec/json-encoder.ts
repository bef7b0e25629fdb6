import { compareKeys } from "../../base/key-order.js";

export interface JsonEncodeOptions {
  /** Keys in byte order, as Go prints maps; else in the order they have. */
  readonly sortKeys?: boolean | undefined;
  /** Spaces per level; 0 or absent is one line. */
  readonly indent?: number | undefined;
}

/**
 * A JSON value as Go's encoding/json writes it: `<`, `>`, `&`, U+2028 and U+2029 escaped in strings, bigint and integers
 * exact, undefined properties left out. Any depth; no trailing newline. Throws on NaN, infinities, functions and symbols.
 */
export function encodeJson(value: unknown, options: JsonEncodeOptions = {}): string {
  const { sortKeys = false, indent = 0 } = options;
  let text = "";
  const open: { readonly close: string; readonly entries: Iterator<[string | undefined, unknown]>; empty: boolean }[] =
    [];
  const newLine = (): string => (indent === 0 ? "" : `\n${" ".repeat(indent * open.length)}`);
  let current: unknown = value;
  for (;;) {
    if (typeof current === "object" && current !== null) {
      const isArray = Array.isArray(current);
      text += isArray ? "[" : "{";
      open.push({
        close: isArray ? "]" : "}",
        entries: isArray ? items(current as unknown[]) : properties(current, sortKeys),
        empty: true,
      });
    } else {
      text += encodeJsonScalar(current);
    }
    for (;;) {
      const top = open.at(-1);
      if (top === undefined) return text;
      const next = top.entries.next();
      if (next.done !== true) {
        const [key, held] = next.value;
        text += top.empty ? newLine() : `,${newLine()}`;
        top.empty = false;
        if (key !== undefined) text += `${encodeString(key)}:${indent === 0 ? "" : " "}`;
        current = held;
        break;
      }
      open.pop();
      text += top.empty ? top.close : `${newLine()}${top.close}`;
    }
  }
}

function* items(list: readonly unknown[]): Generator<[undefined, unknown]> {
  for (const item of list) yield [undefined, item];
}

function* properties(object: object, sortKeys: boolean): Generator<[string, unknown]> {
  const entries = Object.entries(object).filter(([, held]) => held !== undefined);
  if (sortKeys) entries.sort(([a], [b]) => compareKeys(a, b));
  yield* entries;
}

/** {@link encodeJson} of a value that is neither a list nor an object. */
export function encodeJsonScalar(value: unknown): string {
  if (typeof value === "string") return encodeString(value);
  if (typeof value === "number") return encodeNumber(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value === null || value === undefined) return "null";
  throw new TypeError(`json: unsupported type: ${typeof value}`);
}

/** A float64 or integer; Go and JavaScript choose the same digits and the same exponents. */
export function encodeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`json: unsupported value: ${value}`);
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Longer texts are escaped by native code sooner than they are looked at. */
const LONGEST_LOOKED_AT = 64;

/** Whether a short text is printable ASCII in which nothing is escaped. */
function isPlain(text: string): boolean {
  if (text.length > LONGEST_LOOKED_AT) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c || code === 0x3c || code === 0x3e || code === 0x26)
      return false;
  }
  return true;
}

const LONE_SURROGATE = /\p{Cs}/u;
const LONE_SURROGATES = /\p{Cs}/gu;
const ESCAPED = /[<>&\u2028\u2029]/;
const ESCAPES = /[<>&\u2028\u2029]/g;

/** A quoted string with Go's escapes. A lone surrogate becomes U+FFFD. */
export function encodeString(text: string): string {
  if (isPlain(text)) return `"${text}"`;
  const quoted = JSON.stringify(LONE_SURROGATE.test(text) ? text.replaceAll(LONE_SURROGATES, "\ufffd") : text);
  return ESCAPED.test(quoted)
    ? quoted.replaceAll(ESCAPES, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : quoted;
}
