import { Pace } from "../../../base/pace.js";
import type { Steps } from "../../../base/steps.js";
import { WordReader } from "./parse-word.js";
import { type Command, type Redirect, ShellSyntaxError, type SimpleCommand, type Word } from "./syntax.js";

const KEYWORDS = new Set([
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
  "{",
  "}",
  "!",
]);
const MOST_NESTED = 200;
/** So much of what was not expected is shown. */
const LONGEST_SHOWN = 256;
/** What a comment begins behind, where it does not begin a line of its own. */
const BEFORE_COMMENT = /[\s;&|()]/;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=/;

/** What a command takes beside its words, in bytes. */
const COMMAND_BYTES = 512;

/** A script as commands, in steps. `take` counts the bytes that they take. Throws a {@link ShellSyntaxError}. */
export function parseScript(text: string, take: (bytes: number) => void): Steps<Command> {
  return new Parser(text, take).script();
}

class Parser {
  readonly #reader: WordReader;
  readonly #pace = new Pace();
  #depth = 0;

  constructor(
    private readonly text: string,
    private readonly take: (bytes: number) => void,
  ) {
    this.#reader = new WordReader(text, take);
  }

  *script(): Steps<Command> {
    const list = yield* this.#list();
    if (this.#reader.at < this.text.length) throw this.#unexpected();
    return list;
  }

  /** Commands up to what cannot begin one. */
  *#list(): Steps<Command> {
    if ((this.#depth += 1) > MOST_NESTED)
      throw new ShellSyntaxError("Syntax error: nested too deeply", this.#reader.line);
    const commands: Command[] = [];
    for (;;) {
      yield* this.#skip(true);
      if (this.#atListEnd()) break;
      const command = yield* this.#andOr();
      yield* this.#skip(false);
      const background = this.#take("&");
      commands.push(background ? { kind: "background", command } : command);
      if (!background && !this.#take(";") && !this.#lineBreakAhead()) break;
    }
    this.#depth -= 1;
    const [only] = commands;
    return commands.length === 1 && only !== undefined ? only : { kind: "list", commands };
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
    const negated = yield* this.#takeKeyword("!");
    const stages = [yield* this.#command()];
    for (;;) {
      yield* this.#skip(false);
      if (this.text.startsWith("||", this.#reader.at) || !this.#take("|")) break;
      yield* this.#skip(true);
      stages.push(yield* this.#command());
    }
    const [only] = stages;
    return stages.length === 1 && only !== undefined && !negated ? only : { kind: "pipeline", stages, negated };
  }

  *#command(): Steps<Command> {
    this.take(COMMAND_BYTES);
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
      case "{": {
        yield* this.#expect("{");
        const body = yield* this.#list();
        yield* this.#expect("}");
        return { kind: "group", body, redirects: yield* this.#redirects() };
      }
      case undefined:
        break;
      default:
        throw this.#unexpected();
    }
    if (this.#take("(")) {
      const body = yield* this.#list();
      yield* this.#skip(true);
      if (!this.#take(")")) throw this.#unexpected('")"');
      return { kind: "subshell", body, redirects: yield* this.#redirects() };
    }
    return yield* this.#simple();
  }

  *#if(): Steps<Command> {
    const branches = [];
    let otherwise: Command | undefined;
    yield* this.#expect("if");
    for (;;) {
      const test = yield* this.#list();
      yield* this.#expect("then");
      branches.push({ test, body: yield* this.#list() });
      if (yield* this.#takeKeyword("elif")) continue;
      if (yield* this.#takeKeyword("else")) otherwise = yield* this.#list();
      yield* this.#expect("fi");
      return { kind: "if", branches, otherwise, redirects: yield* this.#redirects() };
    }
  }

  *#while(until: boolean): Steps<Command> {
    yield* this.#expect(until ? "until" : "while");
    const test = yield* this.#list();
    const body = yield* this.#body();
    return { kind: "while", until, test, body, redirects: yield* this.#redirects() };
  }

  *#for(): Steps<Command> {
    yield* this.#expect("for");
    yield* this.#skip(false);
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
        words.push(word);
      }
    }
    yield* this.#skip(false);
    this.#take(";");
    return { kind: "for", name, words, body: yield* this.#body(), redirects: yield* this.#redirects() };
  }

  *#case(): Steps<Command> {
    yield* this.#expect("case");
    yield* this.#skip(false);
    const subject = yield* this.#reader.word();
    if (subject === undefined) throw this.#unexpected();
    yield* this.#skip(true);
    if (plainText(yield* this.#reader.word()) !== "in") throw this.#unexpected('"in"');
    const branches = [];
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
      branches.push({ patterns, body: yield* this.#list() });
      yield* this.#skip(true);
      if (!this.#take(";;")) {
        yield* this.#expect("esac");
        break;
      }
    }
    return { kind: "case", subject, branches, redirects: yield* this.#redirects() };
  }

  *#body(): Steps<Command> {
    yield* this.#expect("do");
    const body = yield* this.#list();
    yield* this.#expect("done");
    return body;
  }

  *#simple(): Steps<SimpleCommand> {
    const { line } = this.#reader;
    const assignments: SimpleCommand["assignments"][number][] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      yield* this.#skip(false);
      const redirect = yield* this.#redirect();
      if (redirect !== undefined) {
        redirects.push(redirect);
        continue;
      }
      const word = yield* this.#reader.word();
      if (word === undefined) break;
      const assignment = words.length === 0 ? assignmentOf(word) : undefined;
      if (assignment === undefined) words.push(word);
      else assignments.push(assignment);
    }
    if (assignments.length + words.length + redirects.length === 0) throw this.#unexpected();
    return { kind: "simple", line, assignments, words, redirects };
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
    const [whole, number = "", operator] =
      /^(\d?)(>>|>&|<&|>\||<<|>|<)/.exec(this.text.slice(this.#reader.at, this.#reader.at + 3)) ?? [];
    if (whole === undefined || operator === undefined) return undefined;
    if (operator === "<<")
      throw new ShellSyntaxError("Syntax error: here-documents are not supported", this.#reader.line);
    this.#reader.at += whole.length;
    yield* this.#skip(false);
    const target = yield* this.#reader.word();
    if (target === undefined) throw this.#unexpected();
    const descriptor = number === "" ? (operator.startsWith("<") ? 0 : 1) : Number(number);
    return { descriptor, operator: operator === ">|" ? ">" : (operator as Redirect["operator"]), target };
  }

  *#peekWord(): Steps<Word | undefined> {
    const { at } = this.#reader;
    const word = yield* this.#reader.word();
    this.#reader.at = at;
    return word;
  }

  #keyword(): string | undefined {
    const next = /^[^\s;&|<>()'"$`\\]+/.exec(this.text.slice(this.#reader.at, this.#reader.at + 8))?.[0] ?? "";
    return KEYWORDS.has(next) &&
      /^([\s;&|<>()]|$)/.test(this.text.slice(this.#reader.at + next.length, this.#reader.at + next.length + 1))
      ? next
      : undefined;
  }

  *#takeKeyword(keyword: string): Steps<boolean> {
    yield* this.#skip(true);
    if (this.#keyword() !== keyword) return false;
    this.#reader.at += keyword.length;
    return true;
  }

  *#expect(keyword: string): Steps<void> {
    if (!(yield* this.#takeKeyword(keyword))) throw this.#unexpected(`"${keyword}"`);
  }

  #take(operator: string): boolean {
    if (!this.text.startsWith(operator, this.#reader.at)) return false;
    // A lone & or ; is no && or ;;.
    if ((operator === "&" || operator === ";") && this.text[this.#reader.at + 1] === operator) return false;
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

  /** Skips blanks, comments and continued lines, and with `lines` line breaks. */
  *#skip(lines: boolean): Steps<void> {
    let { at } = this.#reader;
    for (;;) {
      if (this.#pace.isDue()) yield;
      const char = this.text[at];
      if (char === " " || char === "\t" || char === "\r" || (lines && char === "\n")) at += 1;
      else if (char === "\\" && this.text[at + 1] === "\n") at += 2;
      else if (char === "#" && (lines || at === 0 || BEFORE_COMMENT.test(this.text[at - 1] ?? ""))) {
        const end = this.text.indexOf("\n", at);
        at = end < 0 ? this.text.length : end;
      } else break;
    }
    this.#reader.at = at;
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

function plainText(word: Word | undefined): string | undefined {
  const [only] = word ?? [];
  return word?.length === 1 && only?.kind === "text" && !only.quoted ? only.text : undefined;
}

function assignmentOf(word: Word): { readonly name: string; readonly value: Word } | undefined {
  const [first, ...rest] = word;
  if (first?.kind !== "text" || first.quoted) return undefined;
  const [prefix, name] = ASSIGNMENT.exec(first.text) ?? [];
  if (prefix === undefined || name === undefined) return undefined;
  return { name, value: [{ ...first, text: first.text.slice(prefix.length) }, ...rest] };
}
