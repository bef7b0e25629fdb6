import type { Issues } from "../issues.js";
import type { Token } from "./lexer.js";

/** Tokens in the order in which cel-go's messages list what they expect. */
const ORDER =
  "== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER".split(
    " ",
  );

/** What an operand may begin with. */
const OPERAND = "[ { ( . - ! true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER".split(" ");

/** What may stand behind an operand; the closing brackets and the end only where they belong. */
const BEHIND = new Set("== != in < <= >= > && || [ . , - ? : + * / %".split(" "));

/** Reads tokens one by one, and reports unexpected ones in the words of ANTLR, on which cel-go's parser is built. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  readonly #issues: Issues;
  /** The brackets that are to be closed, innermost last. */
  readonly #closers: string[] = [];
  #at = 0;
  /** Since an error no token was read as expected: what is reported now would only follow from it. */
  #recovering = false;

  constructor(tokens: readonly Token[], issues: Issues) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  peek(ahead = 0): Token {
    return (this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)) as Token;
  }

  next(): Token {
    const token = this.peek();
    this.#at += 1;
    this.#recovering = false;
    return token;
  }

  /** The next token, if it is one of these. */
  take(...kinds: readonly string[]): Token | undefined {
    return kinds.includes(this.peek().kind) ? this.next() : undefined;
  }

  open(closer: string): void {
    this.#closers.push(closer);
  }

  close(): void {
    this.#closers.pop();
  }

  /** Takes one of these tokens, or reports that another is there; answers undefined when reading cannot go on. */
  expect(kinds: readonly string[]): Token | undefined {
    const token = this.peek();
    if (kinds.includes(token.kind)) return this.next();
    if (token.kind !== "<EOF>" && kinds.includes(this.peek(1).kind)) {
      this.#report(token, `extraneous input '${token.text}' expecting ${nameSet(kinds)}`);
      this.next();
      return this.next();
    }
    const [kind = ""] = kinds;
    if (kinds.length === 1 && [")", "]", "}"].includes(kind) && this.#mayStandBehind(token)) {
      this.#report(token, `missing '${kind}' at '${token.text}'`);
      return token;
    }
    this.#report(token, `mismatched input '${token.text}' expecting ${nameSet(kinds)}`);
    return undefined;
  }

  /** Takes the first token of an operand, or reports that another is there; answers undefined where there is no operand. */
  primary(): Token | undefined {
    const token = this.peek();
    if (this.#isOperand()) return this.next();
    const expected = [...OPERAND, ...this.#instead()];
    if (token.kind !== "<EOF>" && expected.includes(this.peek(1).kind)) {
      this.#report(token, `extraneous input '${token.text}' expecting ${nameSet(expected)}`);
      this.next();
      return this.#isOperand() ? this.next() : undefined;
    }
    this.#report(token, `mismatched input '${token.text}' expecting ${nameSet(expected)}`);
    while (!this.#mayStandBehind(this.peek()) && this.peek().kind !== "<EOF>") this.#at += 1;
    return undefined;
  }

  /** Takes the name of a field of a message; where it is the first, the message might have none. */
  fieldName(first: boolean): Token | undefined {
    const names = ["IDENTIFIER", "ESC_IDENTIFIER"];
    const token = this.peek();
    if (!first || names.includes(token.kind)) return this.expect(names);
    const expected = ["}", ",", "?", ...names];
    const isExtra = expected.includes(this.peek(1).kind);
    this.#report(
      token,
      `${isExtra ? "extraneous" : "mismatched"} input '${token.text}' expecting ${nameSet(expected)}`,
    );
    if (!isExtra) return undefined;
    this.next();
    return this.expect(names);
  }

  /** The names behind the first in `a.b.C{`, when what follows is a message; the brace is left. */
  messageName(): string[] | undefined {
    const names: string[] = [];
    let ahead = 0;
    while (this.peek(ahead).kind === "." && this.peek(ahead + 1).kind === "IDENTIFIER") {
      names.push(this.peek(ahead + 1).text);
      ahead += 2;
    }
    if (this.peek(ahead).kind !== "{") return undefined;
    this.#at += ahead;
    return names;
  }

  /** Reports that nothing can be read behind what was just read. */
  noAlternative(read: string): void {
    const token = this.peek();
    const input = `${read}${token.kind === "<EOF>" ? "" : token.text}`;
    // cel-go keeps the words that an older parser had for this.
    const [, word] = /^\.(true|false|null)$/.exec(input) ?? [];
    this.#report(
      token,
      word === undefined
        ? `no viable alternative at input '${input}'`
        : `mismatched input '${word}' expecting IDENTIFIER`,
    );
  }

  /** What may stand in place of the first operand within brackets. */
  #instead(): readonly string[] {
    const before = this.#tokens[this.#at - 1]?.kind;
    const closer = this.#closers.at(-1);
    if (before === "(" && closer === ")" && this.#isCall()) return [")"];
    if (before === "[" && closer === "]" && !this.#isIndex()) return ["]", ",", "?"];
    if (before === "{" && closer === "}") return ["}", ",", "?"];
    return [];
  }

  #isCall(): boolean {
    return this.#tokens[this.#at - 2]?.kind === "IDENTIFIER";
  }

  #isIndex(): boolean {
    const before = this.#tokens[this.#at - 2]?.kind ?? "";
    return ["IDENTIFIER", "ESC_IDENTIFIER", ")", "]", "}", "STRING"].includes(before);
  }

  /** Signs belong to what stands before an operand, but for the minus of a number. */
  #isOperand(): boolean {
    const { kind } = this.peek();
    if (kind === "-") return ["NUM_INT", "NUM_FLOAT"].includes(this.peek(1).kind);
    return kind !== "!" && OPERAND.includes(kind);
  }

  #mayStandBehind({ kind }: Token): boolean {
    return BEHIND.has(kind) || kind === (this.#closers.at(-1) ?? "<EOF>");
  }

  #report(token: Token, message: string): void {
    if (!this.#recovering) this.#issues.report(token.offset, `Syntax error: ${message}`);
    this.#recovering = true;
  }
}

function nameSet(kinds: readonly string[]): string {
  const names = ORDER.filter((kind) => kinds.includes(kind)).map((kind) => (/^[A-Z]/.test(kind) ? kind : `'${kind}'`));
  if (kinds.includes("<EOF>")) return "<EOF>";
  return names.length === 1 ? (names[0] ?? "") : `{${names.join(", ")}}`;
}
