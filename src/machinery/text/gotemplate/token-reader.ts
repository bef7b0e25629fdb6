import { append } from "../../../base/collections/append.js";
import type { Lexer } from "./lexer.js";
import type { Token } from "./tokens.js";

/** Tokens one by one, with any number of them given back. */
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
