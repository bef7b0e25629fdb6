import { goQuote } from "../../../base/text/go-quote.js";
import { atOnce, type Steps } from "../../../base/async/steps.js";
import { noteFields } from "../../meta/holds-many.js";
import type { JsonObject, JsonValue } from "../../meta/json.js";
import { setKey, ownValue } from "./own-keys.js";

export type DuplicateKeys = ReadonlyMap<object, readonly string[]>;

/** Thrown for a text that is not JSON, in the words of Go's encoding/json ("invalid character '}' looking for beginning of value"). */
export class JsonDecodeError extends Error {
  override readonly name = "JsonDecodeError";

  constructor(
    message: string,
    /** Index of the offending character; the length of the text when it ended too early. */
    readonly index: number,
    readonly endedEarly = false,
  ) {
    super(message);
  }
}

export interface ReadOptions {
  readonly maxDepth: number;
  /** What is said of a text that ends too early; Go's decoder of streams has other words than its Unmarshal. */
  readonly endOfInput: "unexpected end of JSON input" | "unexpected EOF";
}

export interface JsonRead {
  readonly value: JsonValue;
  /** Just after the value. */
  readonly end: number;
  readonly duplicates?: DuplicateKeys | undefined;
}

/** Parses a whole JSON text; the slow path of the decoder. Throws {@link JsonDecodeError}. */
export function parseExactJson(text: string, maxDepth: number): ExactJson {
  return atOnce(exactJsonSteps(text, maxDepth));
}

export interface ExactJson {
  readonly value: JsonValue;
  readonly duplicates?: DuplicateKeys | undefined;
}

/** {@link parseExactJson} in steps. */
export function* exactJsonSteps(text: string, maxDepth: number): Steps<ExactJson> {
  const options: ReadOptions = { maxDepth, endOfInput: "unexpected end of JSON input" };
  const start = skipSpace(text, 0);
  const read = start >= text.length ? undefined : yield* new Scanner(text, options).readSteps(start);
  if (read === undefined) throw new JsonDecodeError(options.endOfInput, text.length, true);
  const { value, end, duplicates } = read;
  const after = skipSpace(text, end);
  if (after < text.length) throw new Scanner(text, options).invalid(after, "after top-level value");
  return { value, ...(duplicates && { duplicates }) };
}

/**
 * Reads the JSON value that begins at `start`, with exact integers and all keys noted; the last of duplicate keys wins.
 * undefined when only white space is left. Iterative, so depth costs no stack. Throws {@link JsonDecodeError}.
 */
export function readExactJson(text: string, start: number, options: ReadOptions): JsonRead | undefined {
  const at = skipSpace(text, start);
  return at >= text.length ? undefined : atOnce(new Scanner(text, options).readSteps(at));
}

/** Less than a millisecond's work. */
const VALUES_PER_STEP = 512;

interface Open {
  readonly value: JsonObject | JsonValue[];
  key: string;
  readonly keys: string[] | undefined;
  /** A key of the object is repeated. */
  repeats: boolean;
}

const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;

const [TAB, LINE_FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

function skipSpace(text: string, at: number): number {
  let index = at;
  for (;;) {
    const code = text.charCodeAt(index);
    if (code > SPACE || (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB)) return index;
    index += 1;
  }
}

/** Where the string that begins at `start` ends if nothing in it is escaped; -1 for one that has escapes or no end. */
function endOfPlainString(text: string, start: number): number {
  for (let index = start + 1; ; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    // NaN behind the end of the text.
    if (!(code >= SPACE) || code === BACKSLASH) return -1;
  }
}

interface Scalar<T extends JsonValue = JsonValue> {
  readonly value: T;
  readonly end: number;
}

class Scanner {
  constructor(
    private readonly text: string,
    private readonly options: ReadOptions,
  ) {}

  *readSteps(start: number): Steps<JsonRead> {
    const { text } = this;
    let values = 0;
    const duplicates = new Map<JsonObject, readonly string[]>();
    const open: Open[] = [];
    let at = start;
    for (;;) {
      values += 1;
      if (values % VALUES_PER_STEP === 0) yield;
      let value: JsonValue;
      const character = text[at];
      if (character === "{" || character === "[") {
        if (open.length >= this.options.maxDepth) throw new JsonDecodeError("exceeded max depth", at);
        const isObject = character === "{";
        const next = skipSpace(text, at + 1);
        if (text[next] !== (isObject ? "}" : "]")) {
          const opened: Open = { value: isObject ? {} : [], key: "", keys: isObject ? [] : undefined, repeats: false };
          open.push(opened);
          at = isObject ? this.readKey(next, opened) : next;
          continue;
        }
        value = isObject ? {} : [];
        at = next + 1;
      } else {
        const scalar = this.readScalar(at);
        value = scalar.value;
        at = scalar.end;
      }
      // The value is whole: put it where it belongs, and close what it closes.
      for (;;) {
        const parent = open.at(-1);
        if (parent === undefined) return { value, end: at, ...(duplicates.size > 0 && { duplicates }) };
        if (Array.isArray(parent.value)) parent.value.push(value);
        else {
          // Most keys are new, which a look tells sooner than Object.hasOwn.
          if (parent.value[parent.key] !== undefined) parent.repeats ||= Object.hasOwn(parent.value, parent.key);
          setKey(parent.value, parent.key, value);
        }
        at = skipSpace(text, at);
        if (text[at] === ",") {
          at = skipSpace(text, at + 1);
          if (parent.keys !== undefined) at = this.readKey(at, parent);
          break;
        }
        const isArray = Array.isArray(parent.value);
        if (text[at] !== (isArray ? "]" : "}")) {
          throw this.invalid(at, isArray ? "after array element" : "after object key:value pair");
        }
        at += 1;
        open.pop();
        value = parent.value;
        if (!Array.isArray(parent.value) && parent.keys !== undefined) {
          if (parent.repeats) duplicates.set(parent.value, parent.keys);
          noteFields(parent.value, parent.keys.length);
        }
      }
    }
  }

  private readKey(at: number, into: Open): number {
    if (this.text[at] !== '"') throw this.invalid(at, "looking for beginning of object key string");
    const { value, end } = this.readString(at, true);
    into.key = value;
    into.keys?.push(value);
    const colon = skipSpace(this.text, end);
    if (this.text[colon] !== ":") throw this.invalid(colon, "after object key");
    return skipSpace(this.text, colon + 1);
  }

  private readScalar(at: number): Scalar {
    const character = this.text[at];
    if (character === '"') return this.readString(at);
    if (character === "t") return this.readWord(at, "true", true);
    if (character === "f") return this.readWord(at, "false", false);
    if (character === "n") return this.readWord(at, "null", null);
    if (character === "-" || (character !== undefined && character >= "0" && character <= "9")) {
      return this.readNumber(at);
    }
    throw this.invalid(at, "looking for beginning of value");
  }

  private readWord(at: number, word: string, value: JsonValue): Scalar {
    for (let offset = 1; offset < word.length; offset += 1) {
      if (this.text[at + offset] !== word[offset]) {
        throw this.invalid(at + offset, `in literal ${word} (expecting '${word[offset]}')`);
      }
    }
    return { value, end: at + word.length };
  }

  private readNumber(at: number): Scalar {
    const { text } = this;
    const short = readShortInteger(text, at);
    if (short !== undefined) return short;
    number.lastIndex = at;
    const match = number.exec(text);
    const end = number.lastIndex;
    if (match === null) throw this.invalid(at + 1, "in numeric literal");
    if (match[1] === undefined && match[2] === undefined && text[end] === ".") {
      throw this.invalid(end + 1, "after decimal point in numeric literal");
    }
    if (match[2] === undefined && /[eE]/.test(text[end] ?? "")) {
      throw this.invalid(end + (/[-+]/.test(text[end + 1] ?? "") ? 2 : 1), "in exponent of numeric literal");
    }
    return { value: exactNumber(match[0], at), end };
  }

  /** A key may be a reference to the text: what it names is copied when it becomes the key of an object. */
  private readString(at: number, isKey = false): Scalar<string> {
    const { text } = this;
    const plain = endOfPlainString(text, at);
    if (plain >= 0) {
      // V8 makes a longer substring a reference to the whole text, which it would keep alive; JSON.parse copies.
      const isLong = !isKey && plain - at > LONGEST_COPIED;
      const value = isLong ? (JSON.parse(text.slice(at, plain + 1)) as string) : text.slice(at + 1, plain);
      return { value, end: plain + 1 };
    }
    let index = at + 1;
    for (;;) {
      const character = text[index];
      if (character === '"') break;
      if (character === undefined || character < " ") throw this.invalid(index, "in string literal");
      index += character === "\\" ? this.escapeLength(index) : 1;
    }
    const value: unknown = JSON.parse(text.slice(at, index + 1));
    return { value: String(value), end: index + 1 };
  }

  private escapeLength(at: number): number {
    const kind = this.text[at + 1];
    if (kind === undefined || !'"\\/bfnrtu'.includes(kind)) throw this.invalid(at + 1, "in string escape code");
    if (kind !== "u") return 2;
    for (let index = at + 2; index < at + 6; index += 1) {
      if (!/^[0-9a-fA-F]$/.test(this.text[index] ?? "")) {
        throw this.invalid(index, "in \\u hexadecimal character escape");
      }
    }
    return 6;
  }

  invalid(at: number, context: string): JsonDecodeError {
    const { text } = this;
    if (at >= text.length) return new JsonDecodeError(this.options.endOfInput, text.length, true);
    return new JsonDecodeError(`invalid character ${quoteByte(text, at)} ${context}`, at);
  }
}

/** Characters, a quote included, of a string whose substring V8 copies. */
const LONGEST_COPIED = 13;

/** Digits of an integer that is exact whatever they are. */
const SHORT_DIGITS = 15;

/** A number of few digits and nothing else, which most are; undefined for any other. */
function readShortInteger(text: string, at: number): Scalar<number> | undefined {
  let value = 0;
  let end = at;
  for (let code = text.charCodeAt(end); code >= ZERO && code <= NINE; code = text.charCodeAt(end)) {
    if (end - at === SHORT_DIGITS) return undefined;
    value = value * 10 + (code - ZERO);
    end += 1;
  }
  if (end === at || (text.charCodeAt(at) === ZERO && end - at > 1)) return undefined;
  const after = text.charCodeAt(end);
  return after === POINT || (after | 0x20) === EXPONENT ? undefined : { value, end };
}

const [ZERO, NINE, POINT, EXPONENT] = [0x30, 0x39, 0x2e, 0x65];

/** Of -9223372036854775808. A longer literal is not read as an integer, which would take its time. */
const INT64_LENGTH = 20;

/** Integers are exact within int64 (and have no negative zero, which a float has); everything else is a double. */
function exactNumber(literal: string, at: number): JsonValue {
  const value = Number(literal);
  if (literal === "-0") return 0;
  if (!Number.isFinite(value)) {
    throw new JsonDecodeError(`json: cannot unmarshal number ${literal} into Go value of type float64`, at);
  }
  if (Number.isSafeInteger(value) || literal.length > INT64_LENGTH || /[.eE]/.test(literal)) return value;
  const whole = BigInt(literal);
  return BigInt.asIntN(64, whole) === whole ? whole : value;
}

/** Go names the first byte of the character, as if it were a character of its own. */
function quoteByte(text: string, at: number): string {
  const byte = new TextEncoder().encode(String.fromCodePoint(text.codePointAt(at) ?? 0))[0] ?? 0;
  const character = String.fromCharCode(byte);
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  return `'${goQuote(character).slice(1, -1)}'`;
}

const MOST = 100;

/** A strict decoder's errors for repeated keys in a value without a type: `duplicate field "data.a"`, each once, at most 100. */
export function repeatedFields(value: JsonValue, duplicates: DuplicateKeys | undefined): readonly string[] {
  if (duplicates === undefined) return [];
  const found = new Set<string>();
  const visit = (held: JsonValue, path: string): void => {
    if (held === null || typeof held !== "object" || found.size >= MOST) return;
    if (Array.isArray(held)) {
      held.forEach((item, index) => visit(item, `${path}[${index}]`));
      return;
    }
    const seen = new Set<string>();
    for (const key of duplicates.get(held) ?? Object.keys(held)) {
      const at = path === "" ? key : `${path}.${key}`;
      if (!seen.has(key)) visit(ownValue(held, key) as JsonValue, at);
      else if (found.size < MOST) found.add(`duplicate field ${goQuote(at)}`);
      seen.add(key);
    }
  };
  visit(value, "");
  return [...found];
}
