import { dictionary } from "../../../base/collections/dictionary.js";
import { fitsInt, fitsUint, intOf, Double, Uint, type Value } from "../values/value.js";

/** Converts the token of a literal to its value. Throws {@link LiteralError}. */
export function literalValue(kind: string, text: string): Value {
  switch (kind) {
    case "NUM_INT": {
      const value = integerOf(text);
      if (!fitsInt(value)) throw new LiteralError("invalid int literal");
      return intOf(value);
    }
    case "NUM_UINT": {
      const value = integerOf(text.slice(0, -1));
      if (!fitsUint(value)) throw new LiteralError("invalid uint literal");
      return new Uint(value);
    }
    case "NUM_FLOAT": {
      const value = Number(text);
      if (!Number.isFinite(value)) throw new LiteralError("invalid double literal");
      return new Double(value);
    }
    case "STRING":
      return unquoteString(text);
    case "BYTES":
      return unquoteBytes(text.slice(1));
    case "true":
    case "false":
      return kind === "true";
    default:
      return null;
  }
}

function integerOf(text: string): bigint {
  return text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
}

/** Thrown for a token that is not a valid literal; the message is cel-go's. */
export class LiteralError extends Error {}

const SIMPLE: Readonly<Record<string, string>> = dictionary({
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
});

/** What a string token means. Throws {@link LiteralError}. */
function unquoteString(token: string): string {
  const { raw, body } = openQuotes(token);
  if (raw || !body.includes("\\")) return body;
  return body.replace(ESCAPES, (escape) => characterOf(escape));
}

/** The bytes that a bytes token, without its `b`, means: text as UTF-8, and escapes as single bytes. */
function unquoteBytes(token: string): Uint8Array {
  const { raw, body } = openQuotes(token);
  if (raw) return new TextEncoder().encode(body);
  const bytes: number[] = [];
  let end = 0;
  const encoder = new TextEncoder();
  for (const match of body.matchAll(ESCAPES)) {
    bytes.push(...encoder.encode(body.slice(end, match.index)), byteOf(match[0]));
    end = match.index + match[0].length;
  }
  bytes.push(...encoder.encode(body.slice(end)));
  return Uint8Array.from(bytes);
}

const ESCAPES = /\\(?:[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[^])/g;

function openQuotes(token: string): { readonly raw: boolean; readonly body: string } {
  const raw = token.startsWith("r") || token.startsWith("R");
  const quoted = (raw ? token.slice(1) : token).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const width = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''")) ? 3 : 1;
  return { raw, body: quoted.slice(width, -width) };
}

function characterOf(escape: string): string {
  const simple = SIMPLE[escape.slice(1)];
  if (simple !== undefined) return simple;
  const code = numberOf(escape);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new LiteralError("invalid unicode code point");
  return String.fromCodePoint(code);
}

function byteOf(escape: string): number {
  if (/^\\[uU]/.test(escape)) throw new LiteralError("unable to unescape string");
  const simple = SIMPLE[escape.slice(1)];
  return simple === undefined ? numberOf(escape) : simple.charCodeAt(0);
}

function numberOf(escape: string): number {
  const digits = escape.slice(1);
  return /^[xXuU]/.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 8);
}
