import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import { AliasExpansion, type AliasTable } from "../alias-expansion.js";
import { expandBraces } from "./braces.js";
import { HereDocuments } from "./here-documents.js";
import { WordReader } from "./parse-word.js";
import { type Command, type Redirect, ShellSyntaxError, type Word } from "./syntax.js";

export const KEYWORDS = new Set([
  "if",
  "then",
  "elif",
  "else",
  "fi",
  "while",
  "until",
  "do",
  "done",
  "for",
  "case",
  "esac",
  "function",
  "select",
  "[[",
  "{",
  "}",
  "!",
]);

const LONGEST_KEYWORD = 8;

/** So much of what was not expected is shown. */
const LONGEST_SHOWN = 256;

/** What a comment begins behind, where it does not begin a line of its own. */
const BEFORE_COMMENT = /[\s;&|()]/;

const VARIABLE = /^\{([A-Za-z_]\w{0,63})(?:\[(\d{1,3})\])?\}(?=[<>])/;
const LONGEST_VARIABLE = 72;
const REDIRECT = /^(\d{0,3})(<<<|<<-|<<|<>|<&|<|>>|>&|>\||>)|^(&>>|&>)/;

export interface ParseOptions {
  /** Counts the bytes that commands take. */
  take(bytes: number): void;
  /** bash expands braces in words; sh does not. */
  readonly hasBraces: boolean;
  /** The text is all that there is: a here-document may end with it. */
  readonly isWhole: boolean;
  /** The aliases that count now; undefined where the shell does not expand any. */
  aliases(): AliasTable | undefined;
}

/** Reads the parts of commands: words, keywords, operators and redirections, with aliases, comments and here-documents between them. */
export abstract class CommandReader {
  protected readonly reader: WordReader;
  protected readonly documents: HereDocuments;
  protected readonly aliases: AliasExpansion;
  readonly #pace = new Pace();
  /** What the parsers of conditions and assignments use. */
  protected readonly source = {
    skip: () => this.skip(true),
    take: (operator: string) => this.take(operator),
    count: (bytes: number) => this.count(bytes),
    withBraces: (word: Word) => this.withBraces(word),
    unexpected: (expecting?: string) => this.unexpected(expecting),
  };
  protected taken = 0;

  constructor(
    protected text: string,
    protected readonly options: ParseOptions,
    firstLine = 1,
    protected depth = 0,
    nestedWords = 0,
  ) {
    const substitutions = {
      inParentheses: () => this.substitution(),
      ofText: (script: string, line: number) => this.inner(script, line).whole(),
    };
    this.reader = new WordReader(text, (bytes) => this.count(bytes), substitutions, firstLine, nestedWords);
    const expanded = (body: string, line: number): Steps<Word> => this.inner(body, line).reader.hereDocument();
    this.documents = new HereDocuments(this.reader, expanded, options.isWhole);
    this.aliases = new AliasExpansion(options.aliases);
  }

  protected abstract whole(): Steps<Command>;

  /** A parser of a text in this one. */
  protected abstract inner(text: string, line: number): CommandReader;

  protected abstract substitution(): Steps<Command>;

  protected count(bytes: number): void {
    this.taken += bytes;
    this.options.take(bytes);
  }

  /** Puts what an alias stands for in its place, where one begins here, and so on with the first word of that; false where none does. */
  protected *expandAliases(): Steps<boolean> {
    for (let areNone = true; ; areNone = false) {
      const { at, text, isBounded } = this.reader;
      const found = isBounded ? undefined : this.aliases.find(text, at);
      if (found === undefined) return !areNone;
      const { name, value } = found;
      this.count(value.length);
      if (!this.aliases.replaced(found, at))
        throw new ShellSyntaxError(`Syntax error: ${name}: aliases too long`, this.reader.line);
      this.reader.replace(name.length, value);
      this.text = this.reader.text;
      yield;
      yield* this.skip(false);
    }
  }

  protected *withBraces(word: Word): Steps<readonly Word[]> {
    return this.options.hasBraces ? yield* expandBraces(word, (bytes) => this.count(bytes)) : [word];
  }

  protected *redirects(): Steps<Redirect[]> {
    const redirects: Redirect[] = [];
    for (;;) {
      yield* this.skip(false);
      const redirect = yield* this.redirect();
      if (redirect === undefined) return redirects;
      redirects.push(redirect);
    }
  }

  protected *redirect(): Steps<Redirect | undefined> {
    const { at } = this.reader;
    if (this.options.hasBraces && this.text[at] === "{") {
      const [whole = "", name, key] = VARIABLE.exec(this.text.slice(at, at + LONGEST_VARIABLE)) ?? [];
      if (name === undefined) return undefined;
      this.reader.at += whole.length;
      const redirect = yield* this.redirect();
      if (redirect === undefined) this.reader.at = at;
      return redirect && Object.assign(redirect, { variable: { name, ...(key !== undefined && { key }) } });
    }
    const [whole, number = "", sign, both] = REDIRECT.exec(this.text.slice(at, at + 6)) ?? [];
    const operator = sign ?? both;
    if (whole === undefined || operator === undefined) return undefined;
    // A word that begins with a process substitution.
    if ((operator === "<" || operator === ">") && number === "" && this.text[at + 1] === "(") return undefined;
    this.reader.at += whole.length;
    yield* this.skip(false);
    const from = this.reader.at;
    const target = yield* this.reader.word();
    if (target === undefined) throw this.unexpected();
    const descriptor = number === "" ? (operator.startsWith("<") ? 0 : 1) : Number(number);
    if (operator === "<<" || operator === "<<-") {
      const redirect = this.documents.add(this.text.slice(from, this.reader.at), operator === "<<-");
      return Object.assign(redirect, { descriptor });
    }
    // >&file is bash's for both streams.
    const isFile = operator === ">&" && number === "" && !/^[\d$"-]/.test(this.text[from] ?? "");
    const meant = isFile ? "&>" : operator;
    return { descriptor, operator: meant as Redirect["operator"], target };
  }

  protected *peekWord(): Steps<Word | undefined> {
    const { at } = this.reader;
    const word = yield* this.reader.word();
    this.reader.at = at;
    return word;
  }

  protected keyword(): string | undefined {
    const { at } = this.reader;
    const next = /^[^\s;&|<>()'"$`\\]+/.exec(this.text.slice(at, at + LONGEST_KEYWORD))?.[0] ?? "";
    return KEYWORDS.has(next) && /^([\s;&|<>()]|$)/.test(this.text.slice(at + next.length, at + next.length + 1))
      ? next
      : undefined;
  }

  protected *takeKeyword(keyword: string, lines = true): Steps<boolean> {
    yield* this.skip(lines);
    if (this.keyword() !== keyword) return false;
    this.reader.at += keyword.length;
    return true;
  }

  protected *expect(keyword: string): Steps<void> {
    if (!(yield* this.takeKeyword(keyword))) throw this.unexpected(`"${keyword}"`);
  }

  protected take(operator: string): boolean {
    const { at } = this.reader;
    if (!this.text.startsWith(operator, at)) return false;
    const next = this.text[at + operator.length];
    // A lone & or ; is no &&, ;; or ;&.
    if (operator === "&" && (next === "&" || next === ">")) return false;
    if (operator === ";" && (next === ";" || next === "&")) return false;
    this.reader.at += operator.length;
    return true;
  }

  protected lineBreakAhead(): boolean {
    return this.text[this.reader.at] === "\n";
  }

  /** Skips blanks, comments and continued lines, and with `lines` line breaks and the here-documents behind the first. */
  protected *skip(lines: boolean): Steps<void> {
    let { at } = this.reader;
    for (;;) {
      if (this.#pace.isDue()) yield;
      const char = this.text[at];
      if (char === "\n" && lines && this.documents.arePending) {
        this.reader.at = at + 1;
        yield* this.readDocuments();
        ({ at } = this.reader);
      } else if (char === " " || char === "\t" || char === "\r" || (lines && char === "\n")) at += 1;
      else if (char === "\\" && this.text[at + 1] === "\n") at += 2;
      else if (char === "#" && (lines || at === 0 || BEFORE_COMMENT.test(this.text[at - 1] ?? ""))) {
        const end = this.text.indexOf("\n", at);
        at = end < 0 ? this.text.length : end;
      } else break;
    }
    this.reader.at = at;
  }

  protected *readDocuments(): Steps<void> {
    this.reader.at = yield* this.documents.read(this.reader.at, this.reader.line);
  }

  protected unexpected(expecting?: string): ShellSyntaxError {
    const { at, line } = this.reader;
    const suffix = expecting === undefined ? "" : ` (expecting ${expecting})`;
    if (at >= this.text.length)
      return new ShellSyntaxError(`Syntax error: end of file unexpected${suffix}`, line, true);
    const next = /^(?:&&|\|\||;;|[;&|<>()]|[^\s;&|<>()]+|\n)/.exec(this.text.slice(at, at + LONGEST_SHOWN))?.[0] ?? "";
    const shown = next === "\n" ? "newline" : `"${next}"`;
    return new ShellSyntaxError(`Syntax error: ${shown} unexpected${suffix}`, line);
  }
}
