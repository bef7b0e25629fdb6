import type { JsonValue } from "../meta/json.js";
import { JsonDecodeError, parseExactJson, type DuplicateKeys } from "./exact-json.js";

/** Go's limit; what is nested deeper is refused before anything walks it. */
export const maxJsonDepth = 10_000;

export interface DecodedJson {
  readonly value: JsonValue;
  /**
   * For each object in which a key is repeated: all its keys in the order of the text, repetitions included. Undefined
   * when no key is repeated. The value of a repeated key is the last one.
   */
  readonly duplicates?: DuplicateKeys | undefined;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes one JSON document. Integers beyond 2^53 are exact (bigint), invalid UTF-8 in strings becomes U+FFFD, and
 * repeated keys are told. Throws a {@link JsonDecodeError} in the words of Go's encoding/json.
 *
 * JSON.parse does the work; one scan of the bytes decides whether it may, and counts keys so that a repetition shows.
 */
export function decodeJson(data: Uint8Array | string, options: { readonly maxDepth?: number } = {}): DecodedJson {
  const maxDepth = options.maxDepth ?? maxJsonDepth;
  const text = typeof data === "string" ? data : utf8.decode(data);
  const bytes = typeof data === "string" ? undefined : data;
  const scan = bytes === undefined ? scanText(text) : scanBytes(bytes);
  if (scan.depth > maxDepth || scan.needsExactNumbers) return parseExactJson(text, maxDepth);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return parseExactJson(text, maxDepth);
  }
  return countKeys(value) === scan.keys ? { value } : parseExactJson(text, maxDepth);
}

interface Scan {
  readonly depth: number;
  readonly keys: number;
  readonly needsExactNumbers: boolean;
}

const scanBytes = (bytes: Uint8Array): Scan => scanWith(bytes.length, (index) => bytes[index] ?? 0);
const scanText = (text: string): Scan => scanWith(text.length, (index) => text.charCodeAt(index));

/** Counts on well-formed text only; what is not well-formed is found by the parser afterwards. */
function scanWith(length: number, at: (index: number) => number): Scan {
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  let needsExactNumbers = false;
  for (let index = 0; index < length; index += 1) {
    const byte = at(index);
    if (byte === 0x22) {
      index = endOfString(index, length, at);
    } else if (byte === 0x3a) {
      keys += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    } else if (byte >= 0x30 && byte <= 0x39) {
      const start = index;
      while (index + 1 < length && isNumberByte(at(index + 1))) index += 1;
      // Fifteen digits always fit; "1e400" does not, although it is short; "-0" is an integer, which has one zero.
      const zero = byte === 0x30 && start > 0 && at(start - 1) === 0x2d;
      if (index - start >= 15 || zero || hasExponent(start, index, at)) needsExactNumbers = true;
    }
  }
  return { depth: deepest, keys, needsExactNumbers };
}

function endOfString(start: number, length: number, at: (index: number) => number): number {
  let index = start + 1;
  while (index < length) {
    const byte = at(index);
    if (byte === 0x22) break;
    index += byte === 0x5c ? 2 : 1;
  }
  return index;
}

function isNumberByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x65 || byte === 0x45;
}

function hasExponent(start: number, end: number, at: (index: number) => number): boolean {
  for (let index = start; index <= end; index += 1) {
    if ((at(index) | 0x20) === 0x65) return true;
  }
  return false;
}

function countKeys(root: JsonValue): number {
  let count = 0;
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object" && item !== null) open.push(item);
      continue;
    }
    for (const key in value) {
      count += 1;
      const held = value[key];
      if (typeof held === "object" && held !== null) open.push(held);
    }
  }
  return count;
}

export { JsonDecodeError };
