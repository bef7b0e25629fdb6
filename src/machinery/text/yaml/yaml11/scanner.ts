import type { YamlError } from "../yaml-error.js";
import { Cursor, isBlank, isBreak, isSpaceOrEnd, isWord, type Mark, scannerError } from "./cursor.js";
import { scanBlock, scanPlain, scanQuoted } from "./scan-scalar.js";
import { type Directive, scanDirective, scanTag, type Tag } from "./scan-tag.js";

export type TokenType =
  | "stream end"
  | "document start"
  | "document end"
  | "block sequence"
  | "block mapping"
  | "block end"
  | "["
  | "]"
  | "{"
  | "}"
  | ","
  | "-"
  | "key"
  | "value";

export type Token = { readonly start: Mark; readonly end: Mark } & (
  | { readonly type: TokenType }
  | { readonly type: "directive"; readonly directive: Directive }
  | { readonly type: "anchor" | "alias"; readonly name: string }
  | { readonly type: "tag"; readonly tag: Tag }
  | { readonly type: "scalar"; readonly value: string; readonly plain: boolean }
);

/** Where a key without `?` may have begun; whether it did shows only at a `:` further on. */
interface SimpleKey {
  possible: boolean;
  /** In block context at the current indentation nothing but a key may stand. */
  readonly required: boolean;
  /** How many tokens came before it. */
  readonly tokenNumber: number;
  readonly mark: Mark;
}

/** A key ends within so many characters, on its own line. */
const maxSimpleKey = 1024;
/** Deeper nesting is refused with the message of the deeper limit that goyaml has. */
const maxDepth = 1000;

/** Splits a text into tokens by the rules of YAML 1.1, as libyaml applies them, errors included. */
export class Scanner {
  readonly #cursor: Cursor;
  readonly #tokens: Token[] = [];
  /** Tokens that were handed out. */
  #taken = 0;
  #ended = false;
  #flowLevel = 0;
  /** The column of the block collection we are in; -1 outside of any. */
  #indent = -1;
  readonly #indents: number[] = [];
  #keyAllowed = true;
  /** One for each flow level, the block context's first. */
  readonly #keys: SimpleKey[];
  readonly #keysByToken = new Map<number, SimpleKey>();

  /** `lookahead`: how many tokens are read beyond the one that is wanted; an error in them comes before one of the parser. */
  constructor(
    text: string,
    private readonly lookahead: number,
  ) {
    this.#cursor = new Cursor(text);
    this.#keys = [{ possible: false, required: false, tokenNumber: 0, mark: this.#cursor.mark }];
  }

  peek(): Token {
    this.#fetchWhileUndecided();
    const [token] = this.#tokens;
    if (token === undefined) throw new Error("no token after the end of the stream");
    return token;
  }

  next(): Token {
    const token = this.peek();
    this.#tokens.shift();
    this.#taken += 1;
    return token;
  }

  /** The first token is settled once no simple key can begin before it any more. */
  #fetchWhileUndecided(): void {
    while (!this.#ended) {
      if (this.#tokens.length > this.lookahead) {
        const key = this.#keysByToken.get(this.#taken);
        if (key === undefined || !this.#isStillPossible(key)) return;
      }
      this.#fetch();
    }
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unrollIndent(cursor.column);
    cursor.startToken();
    const character = cursor.peek();
    if (character === "") return this.#fetchEnd();
    if (cursor.column === 0 && character === "%") return this.#fetchDirective();
    if (cursor.atDocumentIndicator()) return this.#fetchDocumentIndicator(character);
    switch (character) {
      case "[":
      case "{":
        return this.#fetchFlowStart(character);
      case "]":
      case "}":
        return this.#fetchFlowEnd(character);
      case ",":
        this.#removeKey();
        this.#keyAllowed = true;
        return this.#fetchIndicator(",");
      case "*":
      case "&":
        return this.#fetchAnchor(character === "*" ? "alias" : "anchor");
      case "!":
        return this.#fetchTag();
      case "'":
      case '"':
        return this.#fetchQuoted();
      default:
    }
    if ((character === "|" || character === ">") && this.#flowLevel === 0) return this.#fetchBlockScalar();
    const alone = isSpaceOrEnd(cursor.peek(1));
    if (character === "-" && alone) return this.#fetchEntry();
    if (character === "?" && (this.#flowLevel > 0 || alone)) return this.#fetchKey();
    if (character === ":" && (this.#flowLevel > 0 || alone)) return this.#fetchValue();
    if (this.#startsPlain(character)) return this.#fetchPlain();
    throw cursor.error("found character that cannot start any token");
  }

  #startsPlain(character: string): boolean {
    const next = this.#cursor.peek(1);
    if (character === "-") return !isBlank(next);
    if (character === "?" || character === ":") return this.#flowLevel === 0 && !isSpaceOrEnd(next);
    return !isSpaceOrEnd(character) && !"#|>%@`".includes(character);
  }

  /** Tabs separate tokens too, but not where indentation counts. */
  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.column === 0 && cursor.peek() === "\ufeff") cursor.skip();
      const tabs = this.#flowLevel > 0 || !this.#keyAllowed;
      cursor.skipWhile((character) => character === " " || (tabs && character === "\t"));
      cursor.skipComment();
      if (!isBreak(cursor.peek())) return;
      cursor.readBreak();
      if (this.#flowLevel === 0) this.#keyAllowed = true;
    }
  }

  #push(token: Token): void {
    this.#tokens.push(token);
  }

  #isStillPossible(key: SimpleKey): boolean {
    if (!key.possible) return false;
    if (key.mark.line >= this.#cursor.line && key.mark.index + maxSimpleKey >= this.#cursor.index) return true;
    if (key.required) throw scannerError("could not find expected ':'", this.#cursor.mark, key.mark);
    key.possible = false;
    return false;
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return;
    const required = this.#flowLevel === 0 && this.#indent === this.#cursor.column;
    const tokenNumber = this.#taken + this.#tokens.length;
    const key = { possible: true, required, tokenNumber, mark: this.#cursor.mark };
    this.#removeKey();
    this.#keys[this.#keys.length - 1] = key;
    this.#keysByToken.set(tokenNumber, key);
  }

  #removeKey(): void {
    const key = this.#keys.at(-1);
    if (key?.possible !== true) return;
    if (key.required) throw scannerError("could not find expected ':'", this.#cursor.mark, key.mark);
    key.possible = false;
    this.#keysByToken.delete(key.tokenNumber);
  }

  /** Opens a block collection when the column is deeper than where we are. `at` is the index among the waiting tokens. */
  #rollIndent(mark: Mark, type: "block sequence" | "block mapping", at = this.#tokens.length): void {
    if (this.#flowLevel > 0 || this.#indent >= mark.column) return;
    this.#indents.push(this.#indent);
    this.#indent = mark.column;
    if (this.#indents.length > maxDepth) throw this.#tooDeep();
    this.#tokens.splice(at, 0, { type, start: mark, end: mark });
  }

  #tooDeep(): YamlError {
    const { mark } = this.#cursor;
    return scannerError("exceeded max depth of 10000", mark, this.#keys.at(-1)?.mark ?? mark);
  }

  #unrollIndent(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      const { mark } = this.#cursor;
      this.#push({ type: "block end", start: mark, end: mark });
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  #fetchEnd(): void {
    this.#cursor.startLine();
    this.#leaveBlocks();
    const { mark } = this.#cursor;
    this.#push({ type: "stream end", start: mark, end: mark });
    this.#ended = true;
  }

  #leaveBlocks(): void {
    this.#unrollIndent(-1);
    this.#removeKey();
    this.#keyAllowed = false;
  }

  #fetchDirective(): void {
    this.#leaveBlocks();
    const start = this.#cursor.mark;
    const directive = scanDirective(this.#cursor);
    this.#push({ type: "directive", directive, start, end: this.#cursor.mark });
  }

  #fetchDocumentIndicator(character: string): void {
    this.#leaveBlocks();
    this.#fetchIndicator(character === "-" ? "document start" : "document end", 3);
  }

  #fetchIndicator(type: TokenType, length = 1): void {
    const start = this.#cursor.mark;
    this.#cursor.skip(length);
    this.#push({ type, start, end: this.#cursor.mark });
  }

  #fetchFlowStart(type: "[" | "{"): void {
    this.#saveKey();
    // The level's key has the number of the bracket itself: closing an empty collection forgets a key that began with it.
    const tokenNumber = this.#taken + this.#tokens.length;
    this.#keys.push({ possible: false, required: false, tokenNumber, mark: this.#cursor.mark });
    this.#flowLevel += 1;
    if (this.#flowLevel > maxDepth) throw this.#tooDeep();
    this.#keyAllowed = true;
    this.#fetchIndicator(type);
  }

  #fetchFlowEnd(type: "]" | "}"): void {
    this.#removeKey();
    if (this.#flowLevel > 0) {
      this.#flowLevel -= 1;
      const key = this.#keys.pop();
      if (key !== undefined) this.#keysByToken.delete(key.tokenNumber);
    }
    this.#keyAllowed = false;
    this.#fetchIndicator(type);
  }

  #fetchEntry(): void {
    if (this.#flowLevel === 0) {
      this.#requireKeyAllowed("block sequence entries");
      this.#rollIndent(this.#cursor.mark, "block sequence");
    }
    this.#removeKey();
    this.#keyAllowed = true;
    this.#fetchIndicator("-");
  }

  #requireKeyAllowed(what: string): void {
    if (!this.#keyAllowed) throw this.#cursor.error(`${what} are not allowed in this context`);
  }

  #fetchKey(): void {
    if (this.#flowLevel === 0) {
      this.#requireKeyAllowed("mapping keys");
      this.#rollIndent(this.#cursor.mark, "block mapping");
    }
    this.#removeKey();
    this.#keyAllowed = this.#flowLevel === 0;
    this.#fetchIndicator("key");
  }

  #fetchValue(): void {
    const key = this.#keys.at(-1);
    if (key !== undefined && this.#isStillPossible(key)) {
      const at = key.tokenNumber - this.#taken;
      this.#tokens.splice(at, 0, { type: "key", start: key.mark, end: key.mark });
      this.#rollIndent(key.mark, "block mapping", at);
      key.possible = false;
      this.#keysByToken.delete(key.tokenNumber);
      this.#keyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        this.#requireKeyAllowed("mapping values");
        this.#rollIndent(this.#cursor.mark, "block mapping");
      }
      this.#keyAllowed = this.#flowLevel === 0;
    }
    this.#fetchIndicator("value");
  }

  #fetchAnchor(type: "anchor" | "alias"): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const cursor = this.#cursor;
    const start = cursor.mark;
    cursor.skip();
    let name = "";
    while (isWord(cursor.peek())) name += cursor.read();
    if (name === "" || !(isSpaceOrEnd(cursor.peek()) || "?:,]}%@`".includes(cursor.peek()))) {
      throw cursor.error("did not find expected alphabetic or numeric character");
    }
    this.#push({ type, name, start, end: cursor.mark });
  }

  #fetchTag(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark;
    const tag = scanTag(this.#cursor);
    this.#push({ type: "tag", tag, start, end: this.#cursor.mark });
  }

  #fetchBlockScalar(): void {
    this.#removeKey();
    this.#keyAllowed = true;
    const start = this.#cursor.mark;
    const value = scanBlock(this.#cursor, this.#indent);
    this.#push({ type: "scalar", value, plain: false, start, end: this.#cursor.mark });
  }

  #fetchQuoted(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark;
    const value = scanQuoted(this.#cursor);
    this.#push({ type: "scalar", value, plain: false, start, end: this.#cursor.mark });
  }

  #fetchPlain(): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark;
    const { value, endedByBreak } = scanPlain(this.#cursor, this.#indent + 1, this.#flowLevel > 0);
    if (endedByBreak) this.#keyAllowed = true;
    this.#push({ type: "scalar", value, plain: true, start, end: this.#cursor.mark });
  }
}
