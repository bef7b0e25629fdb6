import type { JsonValue } from "../../meta/json.js";
import { JsonDecodeError, parseExactJson, type DuplicateKeys, exactJsonSteps } from "./exact-json.js";
import type { Steps } from "../../../base/async/steps.js";

/** Go's limit of nesting; a deeper text is rejected before anything recurses into it. */
export const maxJsonDepth = 10_000;

/** The limit of nesting in a request body, which the YAML reader has too, so that no recursion over a client's value overflows the stack. */
export const maxBodyDepth = 1000;

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
 * JSON.parse does the work; one scan of the text decides whether it may, and counts keys so that a repetition shows.
 */
export function decodeJson(data: Uint8Array | string, options: { readonly maxDepth?: number } = {}): DecodedJson {
  const maxDepth = options.maxDepth ?? maxJsonDepth;
  const text = typeof data === "string" ? data : utf8.decode(data);
  const { depth, keys, needsExactNumbers } = scan(text);
  if (depth > maxDepth || needsExactNumbers) return parseExactJson(text, maxDepth);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return parseExactJson(text, maxDepth);
  }
  return countKeys(value) === keys ? { value } : parseExactJson(text, maxDepth);
}

/** Before a number that JSON.parse may not read exactly: a long one, one with an exponent, "-0". It may also be found in a string. */
const MAY_BE_INEXACT = /(?:^|[:[,])\s*(?:-?[0-9][0-9.]*[eE]|-?[0-9][0-9.]{14}|-0)/;

/**
 * As {@link decodeJson}, for a document that kubets encoded, which has no repeated keys. It takes half the time, because it
 * searches for inexact numbers instead of scanning.
 */
export function decodeOwnJson(data: Uint8Array): JsonValue {
  const text = utf8.decode(data);
  if (MAY_BE_INEXACT.test(text)) return decodeJson(text).value;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return decodeJson(text).value;
  }
}

interface Scan {
  readonly depth: number;
  readonly keys: number;
  readonly needsExactNumbers: boolean;
}

/** Counts on well-formed text only; what is not well-formed is found by the parser afterwards. */
function scan(text: string): Scan {
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  let needsExactNumbers = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
      if (index < 0) break;
    } else if (code === 0x3a) {
      keys += 1;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    } else if (isDigit(code)) {
      const start = index;
      while (index + 1 < text.length && isNumberPart(text.charCodeAt(index + 1))) index += 1;
      // Fifteen digits always fit; "1e400" does not, although it is short; "-0" is an integer, which has one zero.
      const zero = code === 0x30 && start > 0 && text.charCodeAt(start - 1) === 0x2d;
      if (index - start >= 15 || zero || hasExponent(text, start, index)) needsExactNumbers = true;
    }
  }
  return { depth: deepest, keys, needsExactNumbers };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Where the quote is that ends the string begun at `start`; -1 when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const isNumberPart = (code: number): boolean => isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45;

function hasExponent(text: string, start: number, end: number): boolean {
  for (let index = start; index <= end; index += 1) {
    if ((text.charCodeAt(index) | 0x20) === 0x65) return true;
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

/** What JSON.parse reads within a few milliseconds. */
const LONG_BYTES = 64 * 1024;

/** {@link decodeJson} in steps. JSON.parse cannot pause, so a long text is parsed by the parser that can. */
export function* decodeJsonSteps(data: Uint8Array, { maxDepth }: { readonly maxDepth: number }): Steps<DecodedJson> {
  if (data.length < LONG_BYTES) return decodeJson(data, { maxDepth });
  return yield* exactJsonSteps(utf8.decode(data), maxDepth);
}
