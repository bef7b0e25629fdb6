import { Pace } from "../../../base/pace.js";
import type { Steps } from "../../../base/steps.js";
import { type ParameterPart, type Part, ShellSyntaxError, type Word } from "./syntax.js";

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const SPECIAL = /[?$#@*!\-0-9]/;
const OPERATORS = [":-", ":=", ":+", ":?", "%%", "##", "-", "=", "+", "?", "%", "#"];
/** How deep words may stand in words: ${a:-${b:-c}}. */
const MOST_NESTED = 100;
/** What a part of a word takes beside its text, in bytes. */
const PART_BYTES = 128;
/** A part costs about as much as so many steps of other walks. */
const PARTS_PER_STEP = 32;

/** What ends words, and runs of characters that mean nothing. */
interface Ending {
  readonly ends: RegExp;
  readonly plain: RegExp;
}

const OUTSIDE: Ending = { ends: /[\s;&|<>()]/, plain: /[^\s;&|<>()\\'"$`]+/y };
const IN_BRACES: Ending = { ends: /}/, plain: /[^}\\'"$`]+/y };
const TO_END: Ending = { ends: /(?!)/, plain: /[^\\'"$`]+/y };
const QUOTED = /[^"\\$`]+/y;
const UNBALANCED = /[^\\'"()]+/y;
const BACKQUOTED = /[^`\\]+/y;

/** Reads words of a script, from a place that it moves on. Its steps yield in long scripts. */
export class WordReader {
  readonly #pace = new Pace(PARTS_PER_STEP);
  /** A place, and its line. */
  #counted = { at: 0, line: 1 };

  constructor(
    readonly text: string,
    /** Counts the bytes that what was read takes. */
    private readonly take: (bytes: number) => void,
    public at = 0,
    private depth = 0,
  ) {}

  get line(): number {
    if (this.at < this.#counted.at) this.#counted = { at: 0, line: 1 };
    let { at, line } = this.#counted;
    for (let end = this.text.indexOf("\n", at); end >= 0 && end < this.at; end = this.text.indexOf("\n", at)) {
      line += 1;
      at = end + 1;
    }
    this.#counted = { at, line };
    return line;
  }

  /** The word that begins here; undefined when none does. */
  *word(): Steps<Word | undefined> {
    const parts = yield* this.#parts(OUTSIDE);
    return parts.length === 0 ? undefined : parts;
  }

  incomplete(expected: string): ShellSyntaxError {
    return new ShellSyntaxError(`Syntax error: ${expected}`, this.line, true);
  }

  *#parts({ ends, plain }: Ending): Steps<Part[]> {
    if (this.depth >= MOST_NESTED) throw new ShellSyntaxError("Syntax error: nested too deeply", this.line);
    this.depth += 1;
    const parts: Part[] = [];
    for (;;) {
      if (this.#pace.isDue()) yield;
      const char = this.text[this.at];
      if (char === undefined || ends.test(char)) break;
      if (char === "\\") {
        const next = this.text[this.at + 1];
        this.at += 2;
        if (next === undefined) throw this.incomplete("end of file unexpected");
        if (next !== "\n") this.#add(parts, { kind: "text", text: next, quoted: true });
      } else if (char === "'") {
        this.at += 1;
        this.#add(parts, this.#singleQuoted());
      } else if (char === '"') {
        this.at += 1;
        yield* this.#doubleQuoted(parts);
      } else if (char === "$" || char === "`") this.#add(parts, yield* this.#expansion(false));
      else this.#add(parts, { kind: "text", text: this.#run(plain) || this.#one(), quoted: false });
    }
    this.depth -= 1;
    return parts;
  }

  /** Plain texts that follow each other are one. */
  #add(parts: Part[], part: Part): void {
    const before = parts.at(-1);
    if (part.kind === "text" && before?.kind === "text" && before.quoted === part.quoted) {
      this.take(part.text.length);
      parts[parts.length - 1] = { ...before, text: before.text + part.text };
      return;
    }
    this.take(PART_BYTES + (part.kind === "text" ? part.text.length : 0));
    parts.push(part);
  }

  /** The characters from here on that `pattern` matches. */
  #run(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [run = ""] = pattern.exec(this.text) ?? [];
    this.at += run.length;
    return run;
  }

  #one(): string {
    const char = this.text[this.at] ?? "";
    this.at += 1;
    return char;
  }

  #singleQuoted(): Part {
    const end = this.text.indexOf("'", this.at);
    if (end < 0) throw this.incomplete("Unterminated quoted string");
    const text = this.text.slice(this.at, end);
    this.at = end + 1;
    return { kind: "text", text, quoted: true };
  }

  *#doubleQuoted(parts: Part[]): Steps<void> {
    // An empty string is a field too.
    this.#add(parts, { kind: "text", text: "", quoted: true });
    for (;;) {
      if (this.#pace.isDue()) yield;
      const char = this.text[this.at];
      if (char === undefined) throw this.incomplete("Unterminated quoted string");
      if (char === '"') break;
      if (char === "\\") {
        const next = this.text[this.at + 1] ?? "";
        const text = next === "\n" ? "" : '$`"\\'.includes(next) && next !== "" ? next : `\\${next}`;
        this.#add(parts, { kind: "text", text, quoted: true });
        this.at += 2;
      } else if (char === "$" || char === "`") this.#add(parts, yield* this.#expansion(true));
      else this.#add(parts, { kind: "text", text: this.#run(QUOTED), quoted: true });
    }
    this.at += 1;
  }

  *#expansion(quoted: boolean): Steps<Part> {
    if (this.text[this.at] === "`") return { kind: "command", script: yield* this.#backquoted(), quoted };
    if (this.text.startsWith("$((", this.at)) {
      const arithmetic = yield* this.#arithmetic(quoted);
      if (arithmetic !== undefined) return arithmetic;
    }
    this.at += 1;
    const char = this.text[this.at] ?? "";
    if (char === "(") return { kind: "command", script: yield* this.#balanced(), quoted };
    if (char === "{") return yield* this.#braced(quoted);
    if (SPECIAL.test(char)) {
      this.at += 1;
      return { kind: "parameter", name: char, quoted };
    }
    const name = this.#run(NAME);
    return name === "" ? { kind: "text", text: "$", quoted } : { kind: "parameter", name, quoted };
  }

  *#braced(quoted: boolean): Steps<ParameterPart> {
    this.at += 1;
    if (this.text[this.at] === "#" && this.text[this.at + 1] !== "}") {
      this.at += 1;
      const name = this.#parameterName();
      this.#closeBrace();
      return { kind: "parameter", name, operator: "length", quoted };
    }
    const name = this.#parameterName();
    const operator = OPERATORS.find((one) => this.text.startsWith(one, this.at));
    if (operator === undefined) {
      this.#closeBrace();
      return { kind: "parameter", name, quoted };
    }
    this.at += operator.length;
    const word = yield* this.#parts(IN_BRACES);
    this.#closeBrace();
    return { kind: "parameter", name, operator, word, quoted };
  }

  #parameterName(): string {
    const char = this.text[this.at] ?? "";
    if (SPECIAL.test(char)) {
      this.at += 1;
      return char;
    }
    const name = this.#run(NAME);
    if (name === "") throw new ShellSyntaxError("Bad substitution", this.line);
    return name;
  }

  #closeBrace(): void {
    if (this.at >= this.text.length) throw this.incomplete("Missing '}'");
    if (this.text[this.at] !== "}") throw new ShellSyntaxError("Bad substitution", this.line);
    this.at += 1;
  }

  *#arithmetic(quoted: boolean): Steps<Part | undefined> {
    let depth = 0;
    for (let index = this.at + 3; index < this.text.length; index += 1) {
      if (this.#pace.isDue()) yield;
      const char = this.text[index];
      if (char === "(") depth += 1;
      else if (char === ")" && depth > 0) depth -= 1;
      else if (char === ")") {
        if (this.text[index + 1] !== ")") return undefined;
        const inner = new WordReader(this.text.slice(this.at + 3, index), this.take, 0, this.depth);
        this.at = index + 2;
        return { kind: "arithmetic", expression: yield* inner.#parts(TO_END), quoted };
      }
    }
    throw this.incomplete('Missing "))"');
  }

  /** The text between a parenthesis here and the one that closes it. */
  *#balanced(): Steps<string> {
    const start = this.at + 1;
    let depth = 0;
    let quote = "";
    while (this.at < this.text.length) {
      if (this.#pace.isDue()) yield;
      if (this.#run(UNBALANCED) !== "") continue;
      const char = this.#one();
      if (char === "\\" && quote !== "'") this.at += 1;
      else if (quote !== "") quote = char === quote ? "" : quote;
      else if (char === "'" || char === '"') quote = char;
      else if (char === "(") depth += 1;
      else if (char === ")" && --depth === 0) {
        this.take(this.at - start);
        return this.text.slice(start, this.at - 1);
      }
    }
    throw this.incomplete('end of file unexpected (expecting ")")');
  }

  *#backquoted(): Steps<string> {
    const pieces: string[] = [];
    this.at += 1;
    while (this.at < this.text.length) {
      if (this.#pace.isDue()) yield;
      const run = this.#run(BACKQUOTED);
      this.take(run.length + 1);
      pieces.push(run);
      const char = this.#one();
      if (char === "`") return pieces.join("");
      const next = this.text[this.at] ?? "";
      if (char === "\\" && (next === "" || !"$`\\".includes(next))) pieces.push("\\");
      else if (char === "\\") pieces.push(this.#one());
    }
    throw this.incomplete("EOF in backquote substitution");
  }
}
