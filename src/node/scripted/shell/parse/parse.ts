import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import { expandBraces } from "./braces.js";
import { HereDocuments } from "./here-documents.js";
import { parseAssignment } from "./parse-assignment.js";
import { parseCondition } from "./parse-condition.js";
import { WordReader } from "./parse-word.js";
import {
  type Assignment,
  type CaseBranch,
  type Command,
  type Redirect,
  ShellSyntaxError,
  type SimpleCommand,
  type Word,
} from "./syntax.js";

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
const MOST_NESTED = 200;
/** So much of what was not expected is shown. */
const LONGEST_SHOWN = 256;
/** What a comment begins behind, where it does not begin a line of its own. */
const BEFORE_COMMENT = /[\s;&|()]/;
const FUNCTION = /[^\s;&|<>()$`'"\\=]+[ \t]*\([ \t]*\)/y;
const REDIRECT = /^(\d{0,3})(<<<|<<-|<<|<>|<&|<|>>|>&|>\||>)|^(&>>|&>)/;
/** The builtins whose arguments may be assignments. */
const DECLARING = new Set(["declare", "export", "local", "readonly", "typeset"]);

/** What a command takes beside its words, in bytes. */
const COMMAND_BYTES = 512;

export interface ParseOptions {
  /** Counts the bytes that commands take. */
  take(bytes: number): void;
  /** bash expands braces in words; sh does not. */
  readonly hasBraces: boolean;
  /** The text is all that there is: a here-document may end with it. */
  readonly isWhole: boolean;
}

/** Parses a script line by line: a shell runs what stands before a line that it cannot parse. */
export class Parser {
  readonly #reader: WordReader;
  readonly #documents: HereDocuments;
  readonly #pace = new Pace();
  /** What the parsers of conditions and assignments use. */
  readonly #source = {
    skip: () => this.#skip(true),
    take: (operator: string) => this.#take(operator),
    count: (bytes: number) => this.#count(bytes),
    withBraces: (word: Word) => this.#withBraces(word),
    unexpected: (expecting?: string) => this.#unexpected(expecting),
  };
  #taken = 0;

  constructor(
    private readonly text: string,
    private readonly options: ParseOptions,
    firstLine = 1,
    private depth = 0,
    nestedWords = 0,
  ) {
    const substitutions = {
      inParentheses: () => this.#substitution(),
      ofText: (script: string, line: number) => this.#inner(script, line).#whole(),
    };
    this.#reader = new WordReader(text, (bytes) => this.#count(bytes), substitutions, firstLine, nestedWords);
    const expanded = (body: string, line: number): Steps<Word> => this.#inner(body, line).#reader.hereDocument();
    this.#documents = new HereDocuments(text, expanded, options.isWhole);
  }

  /** The commands of the next line, and of those that it goes on in; undefined at the end. Throws a {@link ShellSyntaxError}. */
  *line(): Steps<Command | undefined> {
    yield* this.#skip(true);
    if (this.#reader.at >= this.text.length) return undefined;
    const list = yield* this.#list(false);
    if (this.#reader.at < this.text.length && !this.#lineBreakAhead()) throw this.#unexpected();
    yield* this.#skip(true);
    if (this.#documents.arePending) yield* this.#readDocuments();
    return list;
  }

  *#whole(): Steps<Command> {
    const commands: Command[] = [];
    for (let one = yield* this.line(); one !== undefined; one = yield* this.line()) commands.push(one);
    return listOf(commands);
  }

  /** A parser of a text in this one. */
  #inner(text: string, line: number): Parser {
    const options = { ...this.options, take: (bytes: number) => this.#count(bytes), isWhole: true };
    return new Parser(text, options, line, this.depth + 1, this.#reader.nested);
  }

  #count(bytes: number): void {
    this.#taken += bytes;
    this.options.take(bytes);
  }

  *#substitution(): Steps<Command> {
    const body = yield* this.#list(true);
    yield* this.#skip(true);
    if (!this.#take(")")) throw this.#unexpected('")"');
    return body;
  }

  /** Commands up to what cannot begin one, of this line alone or of `lines`. */
  *#list(lines: boolean): Steps<Command> {
    if ((this.depth += 1) > MOST_NESTED)
      throw new ShellSyntaxError("Syntax error: nested too deeply", this.#reader.line);
    const commands: Command[] = [];
    for (;;) {
      yield* this.#skip(lines);
      if (this.#atListEnd() || this.#lineBreakAhead()) break;
      const command = yield* this.#andOr();
      yield* this.#skip(false);
      const background = this.#take("&");
      commands.push(background ? { kind: "background", command } : command);
      if (!background && !this.#take(";") && !(lines && this.#lineBreakAhead())) break;
    }
    this.depth -= 1;
    return listOf(commands);
  }

  *#andOr(): Steps<Command> {
    const first = yield* this.#pipeline();
    const rest: { readonly after: "success" | "failure"; readonly command: Command }[] = [];
    for (;;) {
      yield* this.#skip(false);
      const after = this.#take("&&") ? "success" : this.#take("||") ? "failure" : undefined;
      if (after === undefined) return rest.length === 0 ? first : { kind: "and-or", first, rest };
      yield* this.#skip(true);
      rest.push({ after, command: yield* this.#pipeline() });
    }
  }

  *#pipeline(): Steps<Command> {
    yield* this.#skip(false);
    let negated = false;
    while (yield* this.#takeKeyword("!", false)) negated = !negated;
    const isNegated = negated;
    const stages = [yield* this.#command()];
    for (;;) {
      yield* this.#skip(false);
      if (this.text.startsWith("||", this.#reader.at) || !this.#take("|")) break;
      if (this.#take("&")) stages.push(withErrors(stages.pop()));
      yield* this.#skip(true);
      stages.push(yield* this.#command());
    }
    const [only] = stages;
    return stages.length === 1 && only !== undefined && !isNegated
      ? only
      : { kind: "pipeline", stages, negated: isNegated };
  }

  *#command(): Steps<Command> {
    this.#count(COMMAND_BYTES);
    yield* this.#skip(false);
    const keyword = this.#keyword();
    switch (keyword) {
      case "if":
        return yield* this.#if();
      case "while":
      case "until":
        return yield* this.#while(keyword === "until");
      case "for":
        return yield* this.#for();
      case "case":
        return yield* this.#case();
      case "function":
        return yield* this.#function();
      case "[[":
        return yield* this.#condition();
      case "{": {
        yield* this.#expect("{");
        const body = yield* this.#list(true);
        yield* this.#expect("}");
        return { kind: "group", body, redirects: yield* this.#redirects() };
      }
      case undefined:
        break;
      case "select":
        throw new ShellSyntaxError("Syntax error: select is not supported", this.#reader.line, false, "select");
      default:
        throw this.#unexpected();
    }
    if (this.text.startsWith("((", this.#reader.at)) {
      const arithmetic = yield* this.#arithmetic();
      if (arithmetic !== undefined) return arithmetic;
    }
    if (this.#take("(")) {
      const body = yield* this.#substitution();
      return { kind: "subshell", body, redirects: yield* this.#redirects() };
    }
    FUNCTION.lastIndex = this.#reader.at;
    return FUNCTION.test(this.text) ? yield* this.#function() : yield* this.#simple();
  }

  *#function(): Steps<Command> {
    yield* this.#takeKeyword("function");
    yield* this.#skip(false);
    const name = plainText(yield* this.#reader.word());
    if (name === undefined) throw new ShellSyntaxError("Syntax error: Bad function name", this.#reader.line);
    yield* this.#skip(false);
    if (this.#take("(")) {
      yield* this.#skip(false);
      if (!this.#take(")")) throw this.#unexpected('")"');
    }
    yield* this.#skip(true);
    const before = this.#taken;
    if ((this.depth += 1) > MOST_NESTED)
      throw new ShellSyntaxError("Syntax error: nested too deeply", this.#reader.line);
    const body = yield* this.#command();
    this.depth -= 1;
    if (body.kind === "simple" || body.kind === "function") throw this.#unexpected('"{"');
    return { kind: "function", name, body, bytes: this.#taken - before };
  }

  *#condition(): Steps<Command> {
    const { line } = this.#reader;
    yield* this.#expect("[[");
    const condition = yield* parseCondition({ ...this.#source, reader: this.#reader });
    return { kind: "condition", condition, line, redirects: yield* this.#redirects() };
  }

  /** ((expression)); undefined where two subshells begin here. */
  *#arithmetic(): Steps<Command | undefined> {
    const { line } = this.#reader;
    const end = yield* this.#reader.endOfDouble(this.#reader.at + 2);
    if (end === undefined) return undefined;
    const expression = yield* this.#expression(2, end);
    this.#reader.at = end + 2;
    return { kind: "arithmetic", expression, line, redirects: yield* this.#redirects() };
  }

  /** The text up to `end`, without its first characters. */
  *#expression(skipped: number, end: number): Steps<Word> {
    this.#reader.at += skipped;
    return yield* this.#reader.wordUpTo(end);
  }

  *#if(): Steps<Command> {
    const branches = [];
    let otherwise: Command | undefined;
    yield* this.#expect("if");
    for (;;) {
      const test = yield* this.#list(true);
      yield* this.#expect("then");
      branches.push({ test, body: yield* this.#list(true) });
      if (yield* this.#takeKeyword("elif")) continue;
      if (yield* this.#takeKeyword("else")) otherwise = yield* this.#list(true);
      yield* this.#expect("fi");
      return { kind: "if", branches, otherwise, redirects: yield* this.#redirects() };
    }
  }

  *#while(until: boolean): Steps<Command> {
    yield* this.#expect(until ? "until" : "while");
    const test = yield* this.#list(true);
    const body = yield* this.#body();
    return { kind: "while", until, test, body, redirects: yield* this.#redirects() };
  }

  *#for(): Steps<Command> {
    yield* this.#expect("for");
    yield* this.#skip(false);
    if (this.text.startsWith("((", this.#reader.at)) return yield* this.#counting();
    const name = plainText(yield* this.#reader.word());
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name))
      throw new ShellSyntaxError("Syntax error: Bad for loop variable", this.#reader.line);
    yield* this.#skip(true);
    let words: Word[] | undefined;
    if (plainText(yield* this.#peekWord()) === "in") {
      yield* this.#reader.word();
      words = [];
      for (yield* this.#skip(false); ; yield* this.#skip(false)) {
        const word = yield* this.#reader.word();
        if (word === undefined) break;
        words.push(...(yield* this.#withBraces(word)));
      }
    }
    yield* this.#skip(false);
    this.#take(";");
    return { kind: "for", name, words, body: yield* this.#loopBody(), redirects: yield* this.#redirects() };
  }

  /** for ((first; test; next)) */
  *#counting(): Steps<Command> {
    const { line } = this.#reader;
    const end = yield* this.#reader.endOfDouble(this.#reader.at + 2);
    if (end === undefined) throw this.#unexpected();
    const bounds = [this.#reader.at + 1];
    for (let at = bounds[0] ?? 0; at < end && bounds.length < 3; at += 1) if (this.text[at] === ";") bounds.push(at);
    if (bounds.length < 3) throw new ShellSyntaxError("Syntax error: Bad for loop variable", line);
    const first = yield* this.#expression(2, bounds[1] ?? end);
    const test = yield* this.#expression(1, bounds[2] ?? end);
    const next = yield* this.#expression(1, end);
    this.#reader.at = end + 2;
    yield* this.#skip(false);
    this.#take(";");
    const body = yield* this.#loopBody();
    return { kind: "counting", first, test, next, line, body, redirects: yield* this.#redirects() };
  }

  *#case(): Steps<Command> {
    yield* this.#expect("case");
    yield* this.#skip(false);
    const subject = yield* this.#reader.word();
    if (subject === undefined) throw this.#unexpected();
    yield* this.#skip(true);
    if (plainText(yield* this.#reader.word()) !== "in") throw this.#unexpected('"in"');
    const branches: CaseBranch[] = [];
    for (yield* this.#skip(true); !(yield* this.#takeKeyword("esac")); yield* this.#skip(true)) {
      this.#take("(");
      const patterns: Word[] = [];
      do {
        yield* this.#skip(false);
        const pattern = yield* this.#reader.word();
        if (pattern === undefined) throw this.#unexpected('")"');
        patterns.push(pattern);
        yield* this.#skip(false);
      } while (this.#take("|"));
      if (!this.#take(")")) throw this.#unexpected('")"');
      const body = yield* this.#list(true);
      yield* this.#skip(true);
      const next = this.#take(";;&") ? "patterns" : this.#take(";&") ? "body" : "end";
      branches.push({ patterns, body, next });
      if (next === "end" && !this.#take(";;")) {
        yield* this.#expect("esac");
        break;
      }
    }
    return { kind: "case", subject, branches, redirects: yield* this.#redirects() };
  }

  *#body(): Steps<Command> {
    yield* this.#expect("do");
    const body = yield* this.#list(true);
    yield* this.#expect("done");
    return body;
  }

  /** The body of a for loop, which bash takes in braces as well. */
  *#loopBody(): Steps<Command> {
    if (!(yield* this.#takeKeyword("{"))) return yield* this.#body();
    const body = yield* this.#list(true);
    yield* this.#expect("}");
    return body;
  }

  *#simple(): Steps<SimpleCommand> {
    const { line } = this.#reader;
    const assignments: Assignment[] = [];
    const declarations: Assignment[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      yield* this.#skip(false);
      const redirect = yield* this.#redirect();
      if (redirect !== undefined) {
        redirects.push(redirect);
        continue;
      }
      const isDeclaring = words.length > 0 && DECLARING.has(plainText(words[0]) ?? "");
      const assignment =
        words.length === 0 || isDeclaring
          ? yield* parseAssignment({ ...this.#source, reader: this.#reader })
          : undefined;
      if (assignment !== undefined) {
        (isDeclaring ? declarations : assignments).push(assignment);
        continue;
      }
      const word = yield* this.#reader.word();
      if (word === undefined) break;
      words.push(...(yield* this.#withBraces(word)));
    }
    if (assignments.length + words.length + redirects.length === 0) throw this.#unexpected();
    return { kind: "simple", line, assignments, words, declarations, redirects };
  }

  *#withBraces(word: Word): Steps<readonly Word[]> {
    return this.options.hasBraces ? yield* expandBraces(word, (bytes) => this.#count(bytes)) : [word];
  }

  *#redirects(): Steps<Redirect[]> {
    const redirects: Redirect[] = [];
    for (;;) {
      yield* this.#skip(false);
      const redirect = yield* this.#redirect();
      if (redirect === undefined) return redirects;
      redirects.push(redirect);
    }
  }

  *#redirect(): Steps<Redirect | undefined> {
    const { at } = this.#reader;
    const [whole, number = "", sign, both] = REDIRECT.exec(this.text.slice(at, at + 6)) ?? [];
    const operator = sign ?? both;
    if (whole === undefined || operator === undefined) return undefined;
    if ((operator === "<" || operator === ">") && this.text[at + whole.length] === "(") {
      const message = `Syntax error: "(" unexpected`;
      throw new ShellSyntaxError(message, this.#reader.line, false, "process substitution");
    }
    this.#reader.at += whole.length;
    yield* this.#skip(false);
    const from = this.#reader.at;
    if (operator === "<" && this.#take("<(")) {
      const body = yield* this.#substitution();
      const descriptor = number === "" ? 0 : Number(number);
      return { descriptor, operator: "<(", target: [{ kind: "command", body, quoted: true }] };
    }
    const target = yield* this.#reader.word();
    if (target === undefined) throw this.#unexpected();
    const descriptor = number === "" ? (operator.startsWith("<") ? 0 : 1) : Number(number);
    if (operator === "<<" || operator === "<<-") {
      const redirect = this.#documents.add(this.text.slice(from, this.#reader.at), operator === "<<-");
      return Object.assign(redirect, { descriptor });
    }
    // >&file is bash's for both streams.
    const isFile = operator === ">&" && number === "" && !/^[\d$"-]/.test(this.text[from] ?? "");
    const meant = isFile ? "&>" : operator;
    return { descriptor, operator: meant as Redirect["operator"], target };
  }

  *#peekWord(): Steps<Word | undefined> {
    const { at } = this.#reader;
    const word = yield* this.#reader.word();
    this.#reader.at = at;
    return word;
  }

  #keyword(): string | undefined {
    const { at } = this.#reader;
    const next = /^[^\s;&|<>()'"$`\\]+/.exec(this.text.slice(at, at + LONGEST_KEYWORD))?.[0] ?? "";
    return KEYWORDS.has(next) && /^([\s;&|<>()]|$)/.test(this.text.slice(at + next.length, at + next.length + 1))
      ? next
      : undefined;
  }

  *#takeKeyword(keyword: string, lines = true): Steps<boolean> {
    yield* this.#skip(lines);
    if (this.#keyword() !== keyword) return false;
    this.#reader.at += keyword.length;
    return true;
  }

  *#expect(keyword: string): Steps<void> {
    if (!(yield* this.#takeKeyword(keyword))) throw this.#unexpected(`"${keyword}"`);
  }

  #take(operator: string): boolean {
    const { at } = this.#reader;
    if (!this.text.startsWith(operator, at)) return false;
    const next = this.text[at + operator.length];
    // A lone & or ; is no &&, ;; or ;&.
    if (operator === "&" && (next === "&" || next === ">")) return false;
    if (operator === ";" && (next === ";" || next === "&")) return false;
    this.#reader.at += operator.length;
    return true;
  }

  #atListEnd(): boolean {
    const char = this.text[this.#reader.at];
    if (char === undefined || char === ")" || char === ";") return true;
    return ["then", "elif", "else", "fi", "do", "done", "esac", "}"].includes(this.#keyword() ?? "");
  }

  #lineBreakAhead(): boolean {
    return this.text[this.#reader.at] === "\n";
  }

  /** Skips blanks, comments and continued lines, and with `lines` line breaks and the here-documents behind the first. */
  *#skip(lines: boolean): Steps<void> {
    let { at } = this.#reader;
    for (;;) {
      if (this.#pace.isDue()) yield;
      const char = this.text[at];
      if (char === "\n" && lines && this.#documents.arePending) {
        this.#reader.at = at + 1;
        yield* this.#readDocuments();
        ({ at } = this.#reader);
      } else if (char === " " || char === "\t" || char === "\r" || (lines && char === "\n")) at += 1;
      else if (char === "\\" && this.text[at + 1] === "\n") at += 2;
      else if (char === "#" && (lines || at === 0 || BEFORE_COMMENT.test(this.text[at - 1] ?? ""))) {
        const end = this.text.indexOf("\n", at);
        at = end < 0 ? this.text.length : end;
      } else break;
    }
    this.#reader.at = at;
  }

  *#readDocuments(): Steps<void> {
    this.#reader.at = yield* this.#documents.read(this.#reader.at, this.#reader.line);
  }

  #unexpected(expecting?: string): ShellSyntaxError {
    const { at, line } = this.#reader;
    const suffix = expecting === undefined ? "" : ` (expecting ${expecting})`;
    if (at >= this.text.length)
      return new ShellSyntaxError(`Syntax error: end of file unexpected${suffix}`, line, true);
    const next = /^(?:&&|\|\||;;|[;&|<>()]|[^\s;&|<>()]+|\n)/.exec(this.text.slice(at, at + LONGEST_SHOWN))?.[0] ?? "";
    const shown = next === "\n" ? "newline" : `"${next}"`;
    return new ShellSyntaxError(`Syntax error: ${shown} unexpected${suffix}`, line);
  }
}

function listOf(commands: readonly Command[]): Command {
  const [only] = commands;
  return commands.length === 1 && only !== undefined ? only : { kind: "list", commands };
}

/** A stage of a pipeline whose stderr goes on as well (|&), behind its own redirections. */
function withErrors(stage: Command | undefined): Command {
  const redirect: Redirect = {
    descriptor: 2,
    operator: ">&",
    target: [{ kind: "text", text: "1", quoted: false }],
  };
  if (stage !== undefined && "redirects" in stage) return { ...stage, redirects: [...stage.redirects, redirect] };
  return { kind: "group", body: stage ?? { kind: "list", commands: [] }, redirects: [redirect] };
}

/** The text of a word that is nothing but unquoted text. */
export function plainText(word: Word | undefined): string | undefined {
  const [only] = word ?? [];
  return word?.length === 1 && only?.kind === "text" && !only.quoted ? only.text : undefined;
}
