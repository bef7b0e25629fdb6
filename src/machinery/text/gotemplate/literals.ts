import { joined } from "../../../base/text/byte-text.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { parseFloatLiteral, parseIntegerLiteral } from "../go/number-syntax.js";
import { TemplateError } from "./template-error.js";

/** A numeric literal of a template, with its default type. */
export type NumberLiteral =
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "float64"; readonly value: number }
  | { readonly kind: "complex128"; readonly real: number; readonly imaginary: number }
  /** Fits only an unsigned integer. */
  | { readonly kind: "overflow" };

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** Throws {@link TemplateError} without a place. */
export function parseNumber(text: string): NumberLiteral {
  if (text.endsWith("i")) {
    const imaginary = parseFloatLiteral(text.slice(0, -1));
    if (imaginary !== undefined) return { kind: "complex128", real: 0, imaginary };
  }
  const integer = parseIntegerLiteral(text);
  if (integer !== undefined && integer >= INT64_MIN && integer <= INT64_MAX) return { kind: "int", value: integer };
  // A sign makes it no unsigned integer.
  if (integer !== undefined && integer <= UINT64_MAX && /^[0-9]/.test(text)) return { kind: "overflow" };
  const float = parseFloatLiteral(text);
  if (float === undefined) throw new TemplateError(`illegal number syntax: ${goQuote(text)}`);
  if (!/[.eEpP]/.test(text)) throw new TemplateError(`integer overflow: ${goQuote(text)}`);
  return { kind: "float64", value: float };
}

/** Parses a complex number, "1+2i", as the lexer found it. */
export function parseComplex(text: string): NumberLiteral {
  const split = /^(.+?)(?<![eEpP])([+-].*)i$/.exec(text);
  const real = parseFloatLiteral(split?.[1] ?? "");
  const imaginary = parseFloatLiteral(split?.[2] ?? "");
  if (real === undefined || imaginary === undefined) throw new TemplateError("syntax error scanning complex number");
  return { kind: "complex128", real, imaginary };
}

/** Parses a character in single quotes to its code point. */
export function parseCharacter(quoted: string): NumberLiteral {
  const inner = quoted.slice(1);
  if (inner.startsWith("'")) throw invalidSyntax();
  const { code, end } = readCharacter(inner, 0, "'");
  if (inner.slice(end) !== "'") throw new TemplateError(`malformed character constant: ${quoted}`);
  return { kind: "int", value: BigInt(code) };
}

/** Decodes a string in double quotes or back quotes. */
export function unquoteString(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith("`")) return inner.replaceAll("\r", "");
  let text = "";
  for (let at = 0; at < inner.length; ) {
    const read = readCharacter(inner, at, '"');
    // Half of a character, written byte by byte.
    text +=
      read.isByte && read.code >= 0x80 ? String.fromCharCode(0xdc00 + read.code) : String.fromCodePoint(read.code);
    at = read.end;
  }
  return joined(text);
}

interface ReadCharacter {
  readonly code: number;
  readonly isByte: boolean;
  readonly end: number;
}

const simple = new Map([
  ["a", 0x07],
  ["b", 0x08],
  ["f", 0x0c],
  ["n", 0x0a],
  ["r", 0x0d],
  ["t", 0x09],
  ["v", 0x0b],
  ["\\", 0x5c],
]);

function readCharacter(text: string, at: number, quote: string): ReadCharacter {
  const code = text.codePointAt(at) ?? 0;
  if (code !== 0x5c) return { code, isByte: false, end: at + (code > 0xffff ? 2 : 1) };
  const kind = text.charAt(at + 1);
  const known = simple.get(kind) ?? (kind === quote ? quote.charCodeAt(0) : undefined);
  if (known !== undefined) return { code: known, isByte: false, end: at + 2 };
  if (kind === "x") return readDigits(text, at + 2, 2, 16);
  if (kind === "u") return readDigits(text, at + 2, 4, 16);
  if (kind === "U") return readDigits(text, at + 2, 8, 16);
  if (/^[0-7]$/.test(kind)) return readDigits(text, at + 1, 3, 8);
  throw invalidSyntax();
}

function readDigits(text: string, at: number, length: number, base: 8 | 16): ReadCharacter {
  const digits = text.slice(at, at + length);
  const wanted = base === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/;
  if (digits.length !== length || !wanted.test(digits)) throw invalidSyntax();
  const code = Number.parseInt(digits, base);
  const isByte = length <= 3;
  if (isByte ? code > 0xff : code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw invalidSyntax();
  return { code, isByte, end: at + length };
}

function invalidSyntax(): TemplateError {
  return new TemplateError("invalid syntax");
}
