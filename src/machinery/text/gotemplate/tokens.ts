import { byteLength } from "../../../base/text/byte-text.js";
import { goQuote } from "../../../base/text/go-quote.js";

const keywords = [
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "nil",
  "range",
  "template",
  "with",
] as const;

export type Keyword = (typeof keywords)[number];

export type TokenKind =
  | Keyword
  | "assign"
  | "bool"
  | "char"
  | "charConstant"
  | "complex"
  | "declare"
  | "dot"
  | "eof"
  | "error"
  | "field"
  | "identifier"
  | "leftDelim"
  | "leftParen"
  | "number"
  | "pipe"
  | "rawString"
  | "rightDelim"
  | "rightParen"
  | "space"
  | "string"
  | "text"
  | "variable";

export interface Token {
  readonly kind: TokenKind;
  /** Where it begins in the template, in UTF-16 units. */
  readonly at: number;
  /** As written, quotes and dots included; of an error its message. */
  readonly text: string;
  /** The line it begins on, from 1. */
  readonly line: number;
}

export function isKeyword(word: string): word is Keyword {
  return (keywords as readonly string[]).includes(word);
}

/** Formats a token for Go's messages: keywords in angle brackets, others quoted and cut after ten characters. */
export function describeToken({ kind, text }: Token): string {
  if (kind === "eof") return "EOF";
  if (kind === "error") return text;
  if (kind === "dot" || isKeyword(kind)) return `<${text}>`;
  if (byteLength(text) <= 10) return goQuote(text);
  return `${goQuote(Array.from(text).slice(0, 10).join(""))}...`;
}
