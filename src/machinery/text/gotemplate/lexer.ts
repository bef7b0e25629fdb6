import { goQuote } from "../../../base/text/go-quote.js";
import { isKeyword, type Token, type TokenKind } from "./tokens.js";
import { append } from "../../../base/collections/append.js";

const SPACE = /^[ \t\r\n]$/;
const ALPHANUMERIC = /^[\p{L}\p{Nd}_]$/u;
const LEADING_SPACE = /^[ \t\r\n]*/;
const LEFT_TRIM = /^-[ \t\r\n]/;
const RIGHT_TRIM = /^[ \t\r\n]-\}\}/;
const NUMBER =
  /^[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/;

/**
 * Cuts a template into tokens: text outside of `{{` and `}}`, inside of them words, literals and single characters.
 * Comments and trimmed space leave no token. What cannot be read is one token of kind "error"; nothing follows it.
 */
export class Lexer {
  readonly #text: string;
  #at = 0;
  #inside = false;
  #parens = 0;
  #failed = false;
  /** A place and its line, to count newlines only once. */
  #counted = { at: 0, line: 1 };

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    if (this.#failed) return this.#inside ? this.#fail(0, "unclosed action") : this.#token("eof", 0, 0);
    return this.#inside ? this.#insideAction() : this.#outside();
  }

  /** Text up to the next action; behind a comment the search goes on. */
  #outside(): Token {
    for (;;) {
      const start = this.#at;
      const open = this.#text.indexOf("{{", start);
      if (open === -1) {
        this.#at = this.#text.length;
        return this.#token(start < this.#at ? "text" : "eof", start, this.#at);
      }
      const trims = LEFT_TRIM.test(this.#text.slice(open + 2, open + 4));
      const text = this.#text.slice(start, open);
      const kept = trims ? withoutTrailingSpace(text) : text;
      this.#at = open;
      if (kept !== "") return this.#token("text", start, start + kept.length);
      const inner = open + 2 + (trims ? 2 : 0);
      if (!this.#text.startsWith("/*", inner)) {
        this.#at = inner;
        this.#inside = true;
        this.#parens = 0;
        return this.#token("leftDelim", open, open + 2);
      }
      const close = this.#text.indexOf("*/", inner + 2);
      if (close === -1) return this.#fail(inner, "unclosed comment");
      this.#at = close + 2;
      const end = this.#rightDelim();
      if (end === undefined) return this.#fail(inner, "comment ends before closing delimiter");
      this.#at = end.next;
    }
  }

  /** The right delimiter at this place, if there is one: where it is and what is read after it. */
  #rightDelim(): { readonly at: number; readonly next: number } | undefined {
    if (this.#text.startsWith("}}", this.#at)) return { at: this.#at, next: this.#at + 2 };
    if (!RIGHT_TRIM.test(this.#text.slice(this.#at, this.#at + 4))) return undefined;
    const spaces = LEADING_SPACE.exec(this.#text.slice(this.#at + 4))?.[0].length ?? 0;
    return { at: this.#at + 2, next: this.#at + 4 + spaces };
  }

  #insideAction(): Token {
    const start = this.#at;
    const delim = this.#rightDelim();
    if (delim !== undefined) {
      if (this.#parens > 0) return this.#fail(start, "unclosed left paren");
      this.#at = delim.next;
      this.#inside = false;
      return this.#token("rightDelim", delim.at, delim.at + 2);
    }
    const character = this.#take();
    if (character === "") return this.#fail(start, "unclosed action");
    if (SPACE.test(character)) return this.#space(start);
    switch (character) {
      case "=":
        return this.#token("assign", start, this.#at);
      case ":":
        return this.#take() === "=" ? this.#token("declare", start, this.#at) : this.#fail(start, "expected :=");
      case "|":
        return this.#token("pipe", start, this.#at);
      case '"':
        return this.#quoted(start, '"', "string", "unterminated quoted string");
      case "'":
        return this.#quoted(start, "'", "charConstant", "unterminated character constant");
      case "`":
        return this.#rawString(start);
      case "$":
        return this.#name(start, "variable");
      case ".":
        return /[0-9]/.test(this.#text.charAt(this.#at)) || this.#at === this.#text.length
          ? this.#number(start)
          : this.#name(start, "field");
      case "(":
        this.#parens += 1;
        return this.#token("leftParen", start, this.#at);
      case ")":
        this.#parens -= 1;
        if (this.#parens < 0) return this.#fail(start, "unexpected right paren");
        return this.#token("rightParen", start, this.#at);
      default:
        if (/^[-+0-9]$/.test(character)) return this.#number(start);
        if (ALPHANUMERIC.test(character)) return this.#word(start);
        if (/^[!-~]$/.test(character)) return this.#token("char", start, this.#at);
        return this.#fail(start, `unrecognized character in action: ${unicodeName(character)}`);
    }
  }

  /** A run of spaces; its last one may belong to the delimiter that trims. */
  #space(start: number): Token {
    this.#at = start + (LEADING_SPACE.exec(this.#text.slice(start))?.[0].length ?? 0);
    if (RIGHT_TRIM.test(this.#text.slice(this.#at - 1, this.#at + 3))) {
      this.#at -= 1;
      if (this.#at === start) return this.#insideAction();
    }
    return this.#token("space", start, this.#at);
  }

  #quoted(start: number, quote: string, kind: TokenKind, complaint: string): Token {
    for (;;) {
      const character = this.#take();
      const escaped = character === "\\" ? this.#take() : character;
      if (escaped === "" || escaped === "\n") return this.#fail(start, complaint);
      if (character === quote) return this.#token(kind, start, this.#at);
    }
  }

  #rawString(start: number): Token {
    const close = this.#text.indexOf("`", this.#at);
    if (close === -1) return this.#fail(start, "unterminated raw quoted string");
    this.#at = close + 1;
    return this.#token("rawString", start, this.#at);
  }

  /** A field or variable behind its `.` or `$`; nothing more makes it the dot or the variable `$`. */
  #name(start: number, kind: "field" | "variable"): Token {
    if (this.#atTerminator()) return this.#token(kind === "field" ? "dot" : kind, start, this.#at);
    this.#takeAlphanumerics();
    return this.#atTerminator() ? this.#token(kind, start, this.#at) : this.#badCharacter(start);
  }

  #word(start: number): Token {
    this.#takeAlphanumerics();
    if (!this.#atTerminator()) return this.#badCharacter(start);
    const word = this.#text.slice(start, this.#at);
    if (isKeyword(word)) return this.#token(word, start, this.#at);
    return this.#token(word === "true" || word === "false" ? "bool" : "identifier", start, this.#at);
  }

  #number(start: number): Token {
    this.#at = start;
    if (!this.#scanNumber()) return this.#badNumber(start);
    if (!/[-+]/.test(this.#peek())) return this.#token("number", start, this.#at);
    if (!this.#scanNumber() || this.#text.charAt(this.#at - 1) !== "i") return this.#badNumber(start);
    return this.#token("complex", start, this.#at);
  }

  #scanNumber(): boolean {
    this.#at += NUMBER.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
    if (!ALPHANUMERIC.test(this.#peek())) return true;
    this.#take();
    return false;
  }

  #badNumber(start: number): Token {
    return this.#fail(start, `bad number syntax: ${goQuote(this.#text.slice(start, this.#at))}`);
  }

  #badCharacter(start: number): Token {
    return this.#fail(start, `bad character ${unicodeName(this.#peek())}`);
  }

  #takeAlphanumerics(): void {
    while (ALPHANUMERIC.test(this.#peek())) this.#take();
  }

  #atTerminator(): boolean {
    const next = this.#peek();
    return next === "" || " \t\r\n.,|:)(".includes(next) || this.#text.startsWith("}}", this.#at);
  }

  #peek(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #take(): string {
    const character = this.#peek();
    this.#at += character.length;
    return character;
  }

  #token(kind: TokenKind, start: number, end: number): Token {
    return { kind, at: start, text: this.#text.slice(start, end), line: this.#lineOf(start) };
  }

  #fail(at: number, message: string): Token {
    this.#failed = true;
    return { kind: "error", at, text: message, line: this.#lineOf(at) };
  }

  #lineOf(place: number): number {
    let { at, line } = this.#counted.at <= place ? this.#counted : { at: 0, line: 1 };
    for (let next = this.#text.indexOf("\n", at); next !== -1 && next < place; next = this.#text.indexOf("\n", at)) {
      line += 1;
      at = next + 1;
    }
    this.#counted = { at, line };
    return line;
  }
}

/** As Go's %#U: the code point, and the character when it can be seen. */
function unicodeName(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character) ? `U+${code} '${character}'` : `U+${code}`;
}

/** Without the blanks at the end that a "{{-" after it takes. In one pass: an expression takes time by the square. */
function withoutTrailingSpace(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

/** Reads tokens one by one; any number of them can be pushed back. */
export class TokenReader {
  readonly #lexer: Lexer;
  /** Tokens that were given back, the next one last. */
  readonly #pending: Token[] = [];
  #line = 0;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  /** Where the token read last from the lexer begins, given back or not: messages name this line. */
  get line(): number {
    return this.#line;
  }

  next(): Token {
    const given = this.#pending.pop();
    if (given !== undefined) return given;
    const token = this.#lexer.next();
    this.#line = token.line;
    return token;
  }

  /** Gives tokens back; they are read again in this order. */
  back(...tokens: readonly Token[]): void {
    append(this.#pending, tokens.toReversed());
  }

  peek(): Token {
    const token = this.next();
    this.back(token);
    return token;
  }

  /** Leaves spaces out for good. */
  nextNonSpace(): Token {
    let token = this.next();
    while (token.kind === "space") token = this.next();
    return token;
  }

  /** Leaves spaces out for good. */
  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.back(token);
    return token;
  }
}
