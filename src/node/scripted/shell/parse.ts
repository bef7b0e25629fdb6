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
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=/;

/** A script as commands. Throws a {@link ShellSyntaxError}. */
export function parseScript(text: string): Command {
  return new Parser(text).script();
}

class Parser {
  readonly #reader: WordReader;
  #depth = 0;

  constructor(private readonly text: string) {
    this.#reader = new WordReader(text);
  }

  script(): Command {
    const list = this.#list();
    if (this.#reader.at < this.text.length) throw this.#unexpected();
    return list;
  }

  /** Commands up to what cannot begin one. */
  #list(): Command {
    if ((this.#depth += 1) > MOST_NESTED)
      throw new ShellSyntaxError("Syntax error: nested too deeply", this.#reader.line);
    const commands: Command[] = [];
    for (;;) {
      this.#skip(true);
      if (this.#atListEnd()) break;
      const command = this.#andOr();
      this.#skip(false);
      const background = this.#take("&");
      commands.push(background ? { kind: "background", command } : command);
      if (!background && !this.#take(";") && !this.#lineBreakAhead()) break;
    }
    this.#depth -= 1;
    const [only] = commands;
    return commands.length === 1 && only !== undefined ? only : { kind: "list", commands };
  }

  #andOr(): Command {
    let left = this.#pipeline();
    for (;;) {
      this.#skip(false);
      const kind = this.#take("&&") ? "and" : this.#take("||") ? "or" : undefined;
      if (kind === undefined) return left;
      this.#skip(true);
      left = { kind, left, right: this.#pipeline() };
    }
  }

  #pipeline(): Command {
    this.#skip(false);
    const negated = this.#takeKeyword("!");
    const stages = [this.#command()];
    for (;;) {
      this.#skip(false);
      if (this.text.startsWith("||", this.#reader.at) || !this.#take("|")) break;
      this.#skip(true);
      stages.push(this.#command());
    }
    const [only] = stages;
    return stages.length === 1 && only !== undefined && !negated ? only : { kind: "pipeline", stages, negated };
  }

  #command(): Command {
    this.#skip(false);
    const keyword = this.#keyword();
    switch (keyword) {
      case "if":
        return this.#if();
      case "while":
      case "until":
        return this.#while(keyword === "until");
      case "for":
        return this.#for();
      case "case":
        return this.#case();
      case "{": {
        this.#expect("{");
        const body = this.#list();
        this.#expect("}");
        return { kind: "group", body, redirects: this.#redirects() };
      }
      case undefined:
        break;
      default:
        throw this.#unexpected();
    }
    if (this.#take("(")) {
      const body = this.#list();
      this.#skip(true);
      if (!this.#take(")")) throw this.#unexpected('")"');
      return { kind: "subshell", body, redirects: this.#redirects() };
    }
    return this.#simple();
  }

  #if(): Command {
    const branches = [];
    let otherwise: Command | undefined;
    this.#expect("if");
    for (;;) {
      const test = this.#list();
      this.#expect("then");
      branches.push({ test, body: this.#list() });
      if (this.#takeKeyword("elif")) continue;
      if (this.#takeKeyword("else")) otherwise = this.#list();
      this.#expect("fi");
      return { kind: "if", branches, otherwise, redirects: this.#redirects() };
    }
  }

  #while(until: boolean): Command {
    this.#expect(until ? "until" : "while");
    const test = this.#list();
    const body = this.#body();
    return { kind: "while", until, test, body, redirects: this.#redirects() };
  }

  #for(): Command {
    this.#expect("for");
    this.#skip(false);
    const name = plainText(this.#reader.word());
    if (name === undefined || !/^[A-Za-z_]\w*$/.test(name))
      throw new ShellSyntaxError("Syntax error: Bad for loop variable", this.#reader.line);
    this.#skip(true);
    let words: Word[] | undefined;
    if (plainText(this.#peekWord()) === "in") {
      this.#reader.word();
      words = [];
      for (this.#skip(false); ; this.#skip(false)) {
        const word = this.#reader.word();
        if (word === undefined) break;
        words.push(word);
      }
    }
    this.#skip(false);
    this.#take(";");
    return { kind: "for", name, words, body: this.#body(), redirects: this.#redirects() };
  }

  #case(): Command {
    this.#expect("case");
    this.#skip(false);
    const subject = this.#reader.word();
    if (subject === undefined) throw this.#unexpected();
    this.#skip(true);
    if (plainText(this.#reader.word()) !== "in") throw this.#unexpected('"in"');
    const branches = [];
    for (this.#skip(true); !this.#takeKeyword("esac"); this.#skip(true)) {
      this.#take("(");
      const patterns: Word[] = [];
      do {
        this.#skip(false);
        const pattern = this.#reader.word();
        if (pattern === undefined) throw this.#unexpected('")"');
        patterns.push(pattern);
        this.#skip(false);
      } while (this.#take("|"));
      if (!this.#take(")")) throw this.#unexpected('")"');
      branches.push({ patterns, body: this.#list() });
      this.#skip(true);
      if (!this.#take(";;")) {
        this.#expect("esac");
        break;
      }
    }
    return { kind: "case", subject, branches, redirects: this.#redirects() };
  }

  #body(): Command {
    this.#expect("do");
    const body = this.#list();
    this.#expect("done");
    return body;
  }

  #simple(): SimpleCommand {
    const { line } = this.#reader;
    const assignments: SimpleCommand["assignments"][number][] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.#skip(false);
      const redirect = this.#redirect();
      if (redirect !== undefined) {
        redirects.push(redirect);
        continue;
      }
      const word = this.#reader.word();
      if (word === undefined) break;
      const assignment = words.length === 0 ? assignmentOf(word) : undefined;
      if (assignment === undefined) words.push(word);
      else assignments.push(assignment);
    }
    if (assignments.length + words.length + redirects.length === 0) throw this.#unexpected();
    return { kind: "simple", line, assignments, words, redirects };
  }

  #redirects(): Redirect[] {
    const redirects: Redirect[] = [];
    for (;;) {
      this.#skip(false);
      const redirect = this.#redirect();
      if (redirect === undefined) return redirects;
      redirects.push(redirect);
    }
  }

  #redirect(): Redirect | undefined {
    const [whole, number = "", operator] =
      /^(\d?)(>>|>&|<&|>\||<<|>|<)/.exec(this.text.slice(this.#reader.at, this.#reader.at + 3)) ?? [];
    if (whole === undefined || operator === undefined) return undefined;
    if (operator === "<<")
      throw new ShellSyntaxError("Syntax error: here-documents are not supported", this.#reader.line);
    this.#reader.at += whole.length;
    this.#skip(false);
    const target = this.#reader.word();
    if (target === undefined) throw this.#unexpected();
    const descriptor = number === "" ? (operator.startsWith("<") ? 0 : 1) : Number(number);
    return { descriptor, operator: operator === ">|" ? ">" : (operator as Redirect["operator"]), target };
  }

  #peekWord(): Word | undefined {
    const { at } = this.#reader;
    const word = this.#reader.word();
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

  #takeKeyword(keyword: string): boolean {
    this.#skip(true);
    if (this.#keyword() !== keyword) return false;
    this.#reader.at += keyword.length;
    return true;
  }

  #expect(keyword: string): void {
    if (!this.#takeKeyword(keyword)) throw this.#unexpected(`"${keyword}"`);
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
  #skip(lines: boolean): void {
    const pattern = lines ? /(?:[ \t\r\n]|\\\n|#[^\n]*)*/y : /(?:[ \t\r]|\\\n|(?<=[\s;&|()]|^)#[^\n]*)*/y;
    pattern.lastIndex = this.#reader.at;
    this.#reader.at += pattern.exec(this.text)?.[0].length ?? 0;
  }

  #unexpected(expecting?: string): ShellSyntaxError {
    const { at, line } = this.#reader;
    const suffix = expecting === undefined ? "" : ` (expecting ${expecting})`;
    if (at >= this.text.length)
      return new ShellSyntaxError(`Syntax error: end of file unexpected${suffix}`, line, true);
    const next = /^(?:&&|\|\||;;|[;&|<>()]|[^\s;&|<>()]+|\n)/.exec(this.text.slice(at))?.[0] ?? "";
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
