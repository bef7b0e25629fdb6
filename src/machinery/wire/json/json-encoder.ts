import { compareKeys } from "../../../base/collections/key-order.js";

export interface JsonEncodeOptions {
  /** Keys in byte order, as Go prints maps; else in the order they have. */
  readonly sortKeys?: boolean | undefined;
  /** Spaces per level; 0 or absent is one line. */
  readonly indent?: number | undefined;
}

/**
 * Encodes a JSON value as Go's encoding/json does: `<`, `>`, `&`, U+2028 and U+2029 escaped in strings, bigint and integers exact,
 * undefined properties left out. Any depth; no trailing newline. Throws for NaN, infinities, functions and symbols.
 */
export function encodeJson(value: unknown, options: JsonEncodeOptions = {}): string {
  if (!isContainer(value)) return encodeJsonScalar(value);
  const { sortKeys = false, indent = 0 } = options;
  const open: Open[] = [];
  const newLine = (depth: number): string => (indent === 0 ? "" : `\n${" ".repeat(indent * depth)}`);
  let current = openContainer(value, sortKeys);
  let text = current.keys === undefined ? "[" : "{";
  for (;;) {
    const { container, keys } = current;
    const before = newLine(open.length + 1);
    let inner: object | undefined;
    while (inner === undefined && current.next < current.length) {
      const key = keys?.[current.next];
      const held = container[key ?? current.next];
      current.next += 1;
      if (key !== undefined && held === undefined) continue;
      text += current.isEmpty ? before : `,${before}`;
      current.isEmpty = false;
      if (key !== undefined) text += `${encodeString(key)}:${indent === 0 ? "" : " "}`;
      if (isContainer(held)) inner = held;
      else text += encodeJsonScalar(held);
    }
    if (inner !== undefined) {
      open.push(current);
      current = openContainer(inner, sortKeys);
      text += current.keys === undefined ? "[" : "{";
      continue;
    }
    if (!current.isEmpty) text += newLine(open.length);
    text += keys === undefined ? "]" : "}";
    const outer = open.pop();
    if (outer === undefined) return text;
    current = outer;
  }
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** A list or an object of which a part is written. */
interface Open {
  readonly container: Readonly<Record<string | number, unknown>>;
  /** undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
  isEmpty: boolean;
}

function openContainer(value: object, sortKeys: boolean): Open {
  const container = value as Open["container"];
  if (Array.isArray(value)) return { container, keys: undefined, length: value.length, next: 0, isEmpty: true };
  const keys = sortKeys ? sortedKeys(value) : Object.keys(value);
  return { container, keys, length: keys.length, next: 0, isEmpty: true };
}

/** The keys of an object in byte order. Those of most objects are. */
function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  for (let index = 1; index < keys.length; index++) {
    if (compareKeys(keys[index - 1] as string, keys[index] as string) > 0) return keys.sort(compareKeys);
  }
  return keys;
}

/** As {@link encodeJson}, for a value that is neither a list nor an object. */
export function encodeJsonScalar(value: unknown): string {
  if (typeof value === "string") return encodeString(value);
  if (typeof value === "number") return encodeNumber(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value === null || value === undefined) return "null";
  throw new TypeError(`json: unsupported type: ${typeof value}`);
}

/** Encodes a float64 or an integer; Go and JavaScript choose the same digits and the same exponents. */
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

/** Encodes a string in quotes with Go's escapes. A lone surrogate becomes U+FFFD. */
export function encodeString(text: string): string {
  if (isPlain(text)) return `"${text}"`;
  const quoted = JSON.stringify(LONE_SURROGATE.test(text) ? text.replaceAll(LONE_SURROGATES, "\ufffd") : text);
  return ESCAPED.test(quoted)
    ? quoted.replaceAll(ESCAPES, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : quoted;
}
