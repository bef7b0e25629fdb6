import { type ParameterPart, type Part, ShellSyntaxError, type Word } from "./syntax.js";

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const SPECIAL = /[?$#@*!\-0-9]/;
/** What ends a word outside quotes. */
const ENDS_WORD = /[\s;&|<>()]/;
const OPERATORS = [":-", ":=", ":+", ":?", "%%", "##", "-", "=", "+", "?", "%", "#"];

/** Reads words of a script, from a place that it moves on. */
export class WordReader {
  constructor(
    readonly text: string,
    public at = 0,
  ) {}

  get line(): number {
    return this.text.slice(0, this.at).split("\n").length;
  }

  /** The word that begins here; undefined when none does. */
  word(): Word | undefined {
    const parts = this.#parts(ENDS_WORD);
    return parts.length === 0 ? undefined : parts;
  }

  incomplete(expected: string): ShellSyntaxError {
    return new ShellSyntaxError(`Syntax error: ${expected}`, this.line, true);
  }

  #parts(ends: RegExp): Part[] {
    const parts: Part[] = [];
    let plain = "";
    const flush = (): void => {
      if (plain !== "") parts.push({ kind: "text", text: plain, quoted: false });
      plain = "";
    };
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined || ends.test(char)) break;
      if (char === "\\") {
        const next = this.text[this.at + 1];
        this.at += 2;
        if (next === undefined) throw this.incomplete("end of file unexpected");
        if (next === "\n") continue;
        flush();
        parts.push({ kind: "text", text: next, quoted: true });
      } else if (char === "'" || char === '"') {
        flush();
        this.at += 1;
        parts.push(...(char === "'" ? this.#singleQuoted() : this.#doubleQuoted()));
      } else if (char === "$" || char === "`") {
        flush();
        parts.push(this.#expansion(false));
      } else {
        plain += char;
        this.at += 1;
      }
    }
    flush();
    return parts;
  }

  #singleQuoted(): Part[] {
    const end = this.text.indexOf("'", this.at);
    if (end < 0) throw this.incomplete("Unterminated quoted string");
    const text = this.text.slice(this.at, end);
    this.at = end + 1;
    return [{ kind: "text", text, quoted: true }];
  }

  #doubleQuoted(): Part[] {
    // An empty string is a field too.
    const parts: Part[] = [{ kind: "text", text: "", quoted: true }];
    let plain = "";
    const flush = (): void => {
      if (plain !== "") parts.push({ kind: "text", text: plain, quoted: true });
      plain = "";
    };
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) throw this.incomplete("Unterminated quoted string");
      if (char === '"') break;
      if (char === "\\") {
        const next = this.text[this.at + 1] ?? "";
        if (next !== "\n") plain += '$`"\\'.includes(next) && next !== "" ? next : `\\${next}`;
        this.at += 2;
      } else if (char === "$" || char === "`") {
        flush();
        parts.push(this.#expansion(true));
      } else {
        plain += char;
        this.at += 1;
      }
    }
    this.at += 1;
    flush();
    return parts;
  }

  #expansion(quoted: boolean): Part {
    if (this.text[this.at] === "`") return { kind: "command", script: this.#backquoted(), quoted };
    if (this.text.startsWith("$((", this.at)) {
      const arithmetic = this.#arithmetic(quoted);
      if (arithmetic !== undefined) return arithmetic;
    }
    this.at += 1;
    const char = this.text[this.at] ?? "";
    if (char === "(") return { kind: "command", script: this.#balanced(), quoted };
    if (char === "{") return this.#braced(quoted);
    if (SPECIAL.test(char)) {
      this.at += 1;
      return { kind: "parameter", name: char, quoted };
    }
    const name = this.#name();
    return name === "" ? { kind: "text", text: "$", quoted } : { kind: "parameter", name, quoted };
  }

  #name(): string {
    NAME.lastIndex = this.at;
    const [name = ""] = NAME.exec(this.text) ?? [];
    this.at += name.length;
    return name;
  }

  #braced(quoted: boolean): ParameterPart {
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
    const word = this.#parts(/}/);
    this.#closeBrace();
    return { kind: "parameter", name, operator, word, quoted };
  }

  #parameterName(): string {
    const char = this.text[this.at] ?? "";
    if (SPECIAL.test(char)) {
      this.at += 1;
      return char;
    }
    const name = this.#name();
    if (name === "") throw new ShellSyntaxError("Bad substitution", this.line);
    return name;
  }

  #closeBrace(): void {
    if (this.at >= this.text.length) throw this.incomplete("Missing '}'");
    if (this.text[this.at] !== "}") throw new ShellSyntaxError("Bad substitution", this.line);
    this.at += 1;
  }

  #arithmetic(quoted: boolean): Part | undefined {
    let depth = 0;
    for (let index = this.at + 3; index < this.text.length; index += 1) {
      const char = this.text[index];
      if (char === "(") depth += 1;
      else if (char === ")" && depth > 0) depth -= 1;
      else if (char === ")") {
        if (this.text[index + 1] !== ")") return undefined;
        const inner = new WordReader(this.text.slice(this.at + 3, index));
        this.at = index + 2;
        return { kind: "arithmetic", expression: inner.#parts(/(?!)/), quoted };
      }
    }
    throw this.incomplete('Missing "))"');
  }

  /** The text between a parenthesis here and the one that closes it. */
  #balanced(): string {
    const start = this.at + 1;
    let depth = 0;
    let quote = "";
    for (; this.at < this.text.length; this.at += 1) {
      const char = this.text[this.at] ?? "";
      if (char === "\\" && quote !== "'") this.at += 1;
      else if (quote !== "") quote = char === quote ? "" : quote;
      else if (char === "'" || char === '"') quote = char;
      else if (char === "(") depth += 1;
      else if (char === ")" && --depth === 0) {
        this.at += 1;
        return this.text.slice(start, this.at - 1);
      }
    }
    throw this.incomplete('end of file unexpected (expecting ")")');
  }

  #backquoted(): string {
    let script = "";
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const char = this.text[this.at] ?? "";
      if (char === "`") {
        this.at += 1;
        return script;
      }
      const next = this.text[this.at + 1] ?? "";
      if (char === "\\" && next !== "" && "$`\\".includes(next)) this.at += 1;
      script += this.text[this.at] ?? "";
    }
    throw this.incomplete("EOF in backquote substitution");
  }
}
