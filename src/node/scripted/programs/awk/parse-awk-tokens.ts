import type { PosixRegexp } from "../posix-regexp.js";
import { AwkLexer, type Token } from "./awk-lexer.js";
import { awkRegexp } from "./awk-regexp.js";
import { AwkError, type AwkFunction, type NameRef, SPECIAL } from "./awk-syntax.js";

/** The limit of nesting for expressions and statements. */
export const DEEPEST = 200;

/** The tokens of a program, the names in it, and the position of the parser. */
export abstract class AwkTokens {
  protected readonly lexer: AwkLexer;
  protected token: Token;
  #depth = 0;
  protected readonly slots = new Map<string, number>(SPECIAL.map((name, slot) => [name, slot]));
  protected readonly functions: AwkFunction[] = [];
  readonly #functionSlots = new Map<string, number>();
  protected current: AwkFunction | undefined;
  /** Names that are passed to functions: they are arrays where the parameter is one. */
  protected readonly passed: {
    readonly from: AwkFunction | undefined;
    readonly slot: number;
    readonly to: number;
    readonly at: number;
  }[] = [];

  constructor(text: string) {
    this.lexer = new AwkLexer(text);
    this.token = this.lexer.next();
  }

  protected line(): number {
    return this.lexer.lineOf(this.token.at) + Number(this.token.kind === "end");
  }

  protected syntaxError(): AwkError {
    const { kind, text } = this.token;
    const near = kind === "end" ? "end of file" : kind === "newline" ? "end of line" : text;
    return new AwkError(`line ${this.line()}: syntax error at or near ${near}`);
  }

  protected take(): Token {
    const token = this.token;
    this.token = this.lexer.next();
    return token;
  }

  protected is(text: string): boolean {
    return this.token.kind === "operator" && this.token.text === text;
  }

  protected isKeyword(text: string): boolean {
    return this.token.kind === "keyword" && this.token.text === text;
  }

  protected accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.take();
    return true;
  }

  protected expect(text: string): void {
    if (!this.accept(text)) throw this.syntaxError();
  }

  /** Whether a line, the program or what comes before an operator ends here. */
  protected ends(...operators: string[]): boolean {
    const { kind } = this.token;
    return kind === "newline" || kind === "end" || operators.some((operator) => this.is(operator));
  }

  protected skipNewlines(): void {
    while (this.token.kind === "newline") this.take();
  }

  protected skipTerminators(): void {
    while (this.token.kind === "newline" || this.is(";")) this.take();
  }

  protected nested<T>(parse: () => T): T {
    if ((this.#depth += 1) > DEEPEST) throw new AwkError(`line ${this.line()}: nested too deeply`);
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  protected functionSlot(name: string): number {
    const known = this.#functionSlots.get(name);
    if (known !== undefined) return known;
    const slot = this.functions.length;
    this.#functionSlots.set(name, slot);
    this.functions.push({ name, parameters: [], arrays: new Set(), body: undefined });
    return slot;
  }

  protected compile(pattern: string): PosixRegexp {
    try {
      return awkRegexp(pattern);
    } catch (error) {
      if (error instanceof AwkError) throw new AwkError(`line ${this.line()}: ${error.message}`);
      throw error;
    }
  }

  protected ref(name: string): NameRef {
    const local = this.current?.parameters.indexOf(name) ?? -1;
    if (local >= 0) return { isLocal: true, slot: local };
    const slot = this.slots.get(name) ?? this.slots.size;
    this.slots.set(name, slot);
    return { isLocal: false, slot };
  }

  protected asArray(ref: NameRef): NameRef {
    if (ref.isLocal) this.current?.arrays.add(ref.slot);
    return ref;
  }

  protected arrayName(): NameRef {
    const { kind, text } = this.take();
    if (kind !== "name") throw this.syntaxError();
    return this.asArray(this.ref(text));
  }
}
