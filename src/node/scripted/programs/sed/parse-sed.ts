import { posixRegexp, type PosixRegexp, RegexpError, type RegexpSyntax } from "../posix-regexp.js";
import { ProgramFailure } from "../gnu-program.js";
import type { Address, Command, Substitution } from "./sed-script.js";
import { ESCAPES, replacementParts, withCharacters } from "./sed-text.js";

/** A part of a script: the text of an -e, or of a file. */
export interface ScriptPart {
  readonly text: string;
  readonly file?: string;
}

/** Parses a script. Throws a {@link ProgramFailure} that names the place of an error. */
export function parseSed(parts: readonly ScriptPart[], extended: boolean): Command[] {
  return new SedParser(parts, extended).parse();
}

const KNOWN = "{}=aciqQrRwWbtT:sydDgGhHnNpPxlzF#";

class SedParser {
  readonly #text: string;
  readonly #commands: Command[] = [];
  readonly #blocks: { readonly index: number; readonly at: number }[] = [];
  readonly #labels = new Map<string, number>();
  #at = 0;

  constructor(
    private readonly parts: readonly ScriptPart[],
    private readonly extended: boolean,
  ) {
    this.#text = parts.map(({ text }) => text).join("\n");
  }

  parse(): Command[] {
    for (;;) {
      while (/[\s;]/.test(this.#peek())) this.#at += 1;
      if (this.#at >= this.#text.length) break;
      this.#command();
    }
    const open = this.#blocks.at(-1);
    if (open !== undefined) throw this.#unclosed(open.at);
    for (const command of this.#commands) {
      if (!"btT".includes(command.name)) continue;
      const target = command.text === "" ? this.#commands.length : this.#labels.get(command.text);
      if (target === undefined) throw new ProgramFailure(`can't find label for jump to \`${command.text}'`, 4);
      command.target = target;
    }
    return this.#commands;
  }

  #peek(): string {
    return this.#text[this.#at] ?? "";
  }

  #skipBlanks(): void {
    while (/[ \t\r\f\v]/.test(this.#peek())) this.#at += 1;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#peek())) this.#at += 1;
  }

  /** The error at a place, behind the character that shows it. */
  #error(message: string, at = this.#at): ProgramFailure {
    let start = 0;
    let expressions = 0;
    for (const [index, { text, file }] of this.parts.entries()) {
      if (file === undefined) expressions += 1;
      if (at <= start + text.length || index === this.parts.length - 1) {
        const offset = Math.min(at - start, text.length);
        const line = text.slice(0, offset).split("\n").length;
        const where =
          file === undefined ? `-e expression #${expressions}, char ${offset}` : `file ${file} line ${line}`;
        return new ProgramFailure(`${where}: ${message}`);
      }
      start += text.length + 1;
    }
    return new ProgramFailure(message);
  }

  #unclosed(at: number): ProgramFailure {
    // GNU's sed names the place 0 of the expression.
    return new ProgramFailure(this.#error("unmatched `{'", at).message.replace(/char \d+/, "char 0"));
  }

  #command(): void {
    const from = this.#address();
    let to: Address | undefined;
    if (from !== undefined) {
      if (from.kind === "more" || from.kind === "multiple")
        throw this.#error("invalid usage of +N or ~N as first address");
      this.#skipSpace();
      if (this.#peek() === ",") {
        this.#at += 1;
        this.#skipSpace();
        to = this.#address();
        if (to === undefined) throw this.#error("unexpected `,'", this.#at + 1);
      }
      if (from.kind === "line" && from.line === 0 && to?.kind !== "regexp")
        throw this.#error("invalid usage of line address 0", this.#at + 1);
    }
    this.#skipSpace();
    let negated = false;
    while (this.#peek() === "!") {
      this.#at += 1;
      if (negated) throw this.#error("multiple `!'s");
      negated = true;
      this.#skipSpace();
    }
    const name = this.#peek();
    if (name === "") throw this.#error("missing command");
    this.#at += 1;
    this.#checkAddresses(name, from, to);
    this.#add(name, { from, to, negated });
  }

  #checkAddresses(name: string, from: Address | undefined, to: Address | undefined): void {
    if (!KNOWN.includes(name)) throw this.#error(`unknown command: \`${name}'`);
    if (from !== undefined) {
      if (name === ":") throw this.#error(": doesn't want any addresses");
      if (name === "}" && this.#blocks.length > 0) throw this.#error("`}' doesn't want any addresses");
      if (name === "#") throw this.#error("comments don't accept any addresses");
    }
    if (to !== undefined && "qQ".includes(name)) throw this.#error("command only uses one address");
  }

  #add(name: string, { from, to, negated }: Pick<Command, "from" | "to" | "negated">): void {
    if (name === "#") {
      this.#restOfLine();
      return;
    }
    const command = {
      name,
      from,
      to,
      negated,
      text: "",
      number: undefined as number | undefined,
      substitution: undefined as Substitution | undefined,
      letters: undefined as ReadonlyMap<string, string> | undefined,
      target: 0,
      isActive: from?.kind === "line" && from.line === 0,
      end: 0,
    };
    switch (name) {
      case "{":
        this.#blocks.push({ index: this.#commands.length, at: this.#at });
        break;
      case "}": {
        const block = this.#blocks.pop();
        if (block === undefined) throw this.#error("unexpected `}'");
        const opening = this.#commands[block.index];
        if (opening !== undefined) opening.target = this.#commands.length;
        this.#endOfCommand();
        return;
      }
      case ":":
        this.#skipBlanks();
        command.text = this.#word(/[\s;]/);
        if (command.text === "") throw this.#error('":" lacks a label');
        this.#labels.set(command.text, this.#commands.length);
        return;
      case "a":
      case "i":
      case "c":
        command.text = this.#textBlock();
        break;
      case "b":
      case "t":
      case "T":
        this.#skipBlanks();
        command.text = this.#word(/[\s;}]/);
        break;
      case "r":
      case "R":
      case "w":
      case "W":
        this.#skipBlanks();
        command.text = this.#restOfLine();
        if (command.text === "") throw this.#error("missing filename in r/R/w/W commands");
        break;
      case "q":
      case "Q":
      case "l": {
        this.#skipBlanks();
        const digits = this.#word(/\D/);
        if (digits !== "") command.number = Number(digits);
        this.#endOfCommand();
        break;
      }
      case "s":
        command.substitution = this.#substitution();
        break;
      case "y":
        command.letters = this.#letters();
        this.#endOfCommand();
        break;
      default:
        this.#endOfCommand();
    }
    this.#commands.push(command);
  }

  /** The characters up to one that `end` matches. */
  #word(end: RegExp): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !end.test(this.#peek())) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #restOfLine(): string {
    const text = this.#word(/\n/);
    this.#at += 1;
    return text;
  }

  #endOfCommand(): void {
    this.#skipBlanks();
    const next = this.#peek();
    if (next === "" || next === "}" || next === "#") return;
    this.#at += 1;
    if (next !== "\n" && next !== ";") throw this.#error("extra characters after command");
  }

  /** The text of a, i and c: the rest of the line, and lines behind a backslash. */
  #textBlock(): string {
    this.#skipBlanks();
    if (this.#at >= this.#text.length) throw this.#error("expected \\ after `a', `c' or `i'");
    if (this.#peek() === "\\") {
      this.#at += 1;
      const behind = this.#at;
      this.#skipBlanks();
      if (this.#peek() === "\n") this.#at += 1;
      else if (this.#at < this.#text.length) this.#at = behind;
    }
    if (this.#at >= this.#text.length) return "";
    let text = "";
    while (this.#at < this.#text.length && this.#peek() !== "\n") {
      if (this.#peek() !== "\\") text += this.#peek();
      else {
        const char = this.#text[(this.#at += 1)];
        text += char === undefined ? "" : text === "" ? char : (ESCAPES[char] ?? char);
      }
      this.#at += 1;
    }
    this.#at += 1;
    return `${text}\n`;
  }

  #address(): Address | undefined {
    const char = this.#peek();
    if (/\d/.test(char)) {
      const line = Number(this.#word(/\D/));
      this.#skipBlanks();
      if (this.#peek() !== "~") return { kind: "line", line };
      this.#at += 1;
      const step = Number(this.#word(/\D/));
      return step === 0 ? { kind: "line", line } : { kind: "step", first: line, step };
    }
    if (char === "+" || char === "~") {
      this.#at += 1;
      const digits = this.#word(/\D/);
      if (digits === "") throw this.#error(`unknown command: \`${char}'`);
      return char === "+" ? { kind: "more", count: Number(digits) } : { kind: "multiple", of: Number(digits) };
    }
    if (char === "$") {
      this.#at += 1;
      return { kind: "last" };
    }
    if (char !== "/" && char !== "\\") return undefined;
    this.#at += char === "/" ? 0 : 1;
    const delimiter = this.#peek();
    this.#at += 1;
    const pattern = this.#delimited(delimiter, true);
    if (pattern === undefined) throw this.#error("unterminated address regex");
    let [ignoreCase, multiline] = [false, false];
    for (; /[IM]/.test(this.#peek()); this.#at += 1) {
      ignoreCase ||= this.#peek() === "I";
      multiline ||= this.#peek() === "M";
    }
    return { kind: "regexp", regexp: this.#regexp(pattern, { ignoreCase, multiline }) };
  }

  /** What stands before a delimiter; undefined where there is none. */
  #delimited(delimiter: string, isRegexp: boolean): string | undefined {
    let text = "";
    for (;;) {
      const char = this.#peek();
      if (char === "" || (char === "\n" && isRegexp)) return undefined;
      this.#at += 1;
      if (char === delimiter) return text;
      if (char === "[" && isRegexp) {
        text += this.#brackets();
        continue;
      }
      if (char !== "\\") {
        text += char;
        continue;
      }
      const next = this.#peek();
      if (next === "") return undefined;
      this.#at += 1;
      if (next === delimiter && !(next === "&" && !isRegexp)) text += next;
      else if (next === "n" && isRegexp) text += "\n";
      else text += `\\${next}`;
    }
  }

  /** A set of characters of a pattern, from behind its first bracket on: a delimiter in it is one of them. */
  #brackets(): string {
    const set = /(?:\^?\]?)(?:\[(?:([:.=])(?:(?!\1\])[^\n]){0,16}\1\])|[^\]\n])*\]?/y;
    set.lastIndex = this.#at;
    const [text = ""] = set.exec(this.#text) ?? [];
    this.#at += text.length;
    return `[${text.replaceAll("\\n", "\n")}`;
  }

  #regexp(pattern: string, flags: Partial<RegexpSyntax>): PosixRegexp | undefined {
    if (pattern === "") return undefined;
    try {
      return posixRegexp(withCharacters(pattern), { extended: this.extended, ...flags });
    } catch (error) {
      if (error instanceof RegexpError) throw this.#error(error.message);
      throw error;
    }
  }

  #delimiter(unterminated: string): string {
    const delimiter = this.#peek();
    if (delimiter === "" || delimiter === "\n" || delimiter === "\\") throw this.#error(unterminated);
    this.#at += 1;
    return delimiter;
  }

  #substitution(): Substitution {
    const unterminated = "unterminated `s' command";
    const delimiter = this.#delimiter(unterminated);
    const pattern = this.#delimited(delimiter, true);
    const replacement = pattern === undefined ? undefined : this.#delimited(delimiter, false);
    if (pattern === undefined || replacement === undefined) throw this.#error(unterminated);
    const flags = this.#flags();
    const regexp = this.#regexp(pattern, flags);
    const parts = replacementParts(replacement);
    const most = Math.max(0, ...parts.map(({ group = 0 }) => group));
    if (regexp !== undefined && most > regexp.groups)
      throw this.#error(`invalid reference \\${most} on \`s' command's RHS`);
    return { regexp, replacement: parts, ...flags };
  }

  #flags() {
    const flags = {
      global: false,
      number: 0,
      prints: false,
      ignoreCase: false,
      multiline: false,
      file: undefined as string | undefined,
    };
    for (;;) {
      const char = this.#peek();
      if (char === "" || char === "}" || char === "#") break;
      this.#at += 1;
      if (char === "\n" || char === ";") break;
      if (char === "\r" || char === " " || char === "\t") continue;
      if (char === "i" || char === "I") flags.ignoreCase = true;
      else if (char === "m" || char === "M") flags.multiline = true;
      else if (char === "g") {
        if (flags.global) throw this.#error("multiple `g' options to `s' command");
        flags.global = true;
      } else if (char === "p") {
        if (flags.prints) throw this.#error("multiple `p' options to `s' command");
        flags.prints = true;
      } else if (/\d/.test(char)) {
        if (flags.number > 0) throw this.#error("multiple number options to `s' command");
        flags.number = Number(char + this.#word(/\D/));
        if (flags.number === 0) throw this.#error("number option to `s' command may not be zero");
      } else if (char === "w") {
        this.#skipBlanks();
        flags.file = this.#restOfLine();
        if (flags.file === "") throw this.#error("missing filename in r/R/w/W commands");
        break;
      } else throw this.#error("unknown option to `s'");
    }
    return { ...flags, number: Math.max(1, flags.number) };
  }

  #letters(): ReadonlyMap<string, string> {
    const unterminated = "unterminated `y' command";
    const delimiter = this.#delimiter(unterminated);
    const from = this.#delimited(delimiter, false);
    const to = from === undefined ? undefined : this.#delimited(delimiter, false);
    if (from === undefined || to === undefined) throw this.#error(unterminated);
    const plain = (text: string): string[] =>
      withCharacters(text)
        .replace(/\\([\\n])/g, (_whole, char: string) => (char === "n" ? "\n" : "\\"))
        .split("");
    const [source, target] = [plain(from), plain(to)];
    if (source.length !== target.length) throw this.#error("strings for `y' command are different lengths");
    return new Map(source.map((char, index) => [char, target[index] ?? ""]));
  }
}
