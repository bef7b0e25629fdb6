/** A word of a shell command: where it stands in the line, and its text without quotes. */
export interface Word {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** One program with its operands, as POSIX sh would run it; redirections are left out. */
export interface SimpleCommand {
  readonly words: readonly Word[];
  /** The sign behind it: "|", "&&", "||", ";", "&", a bracket, or "" at the end. */
  readonly before: string;
  /** 0 where it decides how the line ends; more within `$(...)`, backticks and the operand of `sh -c`. */
  readonly depth: number;
}

/**
 * The commands of a line, inner ones before the one they stand in. As much of sh's grammar as sessions use: quotes, escapes, `$(...)`,
 * backticks, pipes, lists, brackets, redirections; no here-documents, no functions.
 */
export function simpleCommands(line: string): readonly SimpleCommand[] {
  const reader = new Reader(line);
  reader.list(0, undefined);
  return reader.found;
}

const OPERATOR = /^(?:&&|\|\||;;|[|;&()\n])/;
/** `2>&1`, `>file`, `<<<`: the number is part of it only when it touches the sign. */
const REDIRECTION = /^\d*(?:>>|>&|<&|>\||[<>])/;
const BLANK = /^[ \t]+/;

class Reader {
  readonly found: SimpleCommand[] = [];
  #at = 0;

  constructor(readonly line: string) {}

  /** Up to `close`, which is left behind. */
  list(depth: number, close: string | undefined): void {
    let words: Word[] = [];
    const end = (before: string): void => {
      if (words.length > 0) this.#found(words, before, depth);
      words = [];
    };
    let brackets = 0;
    while (this.#at < this.line.length) {
      const rest = this.line.slice(this.#at);
      const blank = BLANK.exec(rest)?.[0];
      if (blank !== undefined) {
        this.#at += blank.length;
        continue;
      }
      if (rest.startsWith("#")) break;
      if (close !== undefined && brackets === 0 && rest.startsWith(close)) {
        this.#at += close.length;
        end("");
        return;
      }
      const redirection = REDIRECTION.exec(rest)?.[0];
      if (redirection !== undefined) {
        this.#at += redirection.length;
        this.#skipBlanks();
        this.#word(depth);
        continue;
      }
      const operator = OPERATOR.exec(rest)?.[0];
      if (operator !== undefined) {
        this.#at += operator.length;
        if (operator === "(") brackets++;
        if (operator === ")") brackets--;
        end(operator);
        continue;
      }
      words.push(this.#word(depth));
    }
    end("");
  }

  #found(words: readonly Word[], before: string, depth: number): void {
    const shell = words.findIndex(({ text }) => text === "sh" || text === "bash");
    const script = words[shell + 2];
    if (shell >= 0 && words[shell + 1]?.text === "-c" && script !== undefined) this.#script(script, depth + 1);
    this.found.push({ words, before, depth });
  }

  /** What `sh -c` is given, where its text stands in the line as it is. */
  #script({ start, end, text }: Word, depth: number): void {
    const offset = this.line.slice(start, end).indexOf(text);
    if (offset < 0) return;
    const inner = new Reader(this.line.slice(0, start + offset + text.length));
    inner.#at = start + offset;
    inner.list(depth, undefined);
    this.found.push(...inner.found);
  }

  #skipBlanks(): void {
    this.#at += BLANK.exec(this.line.slice(this.#at))?.[0].length ?? 0;
  }

  #word(depth: number): Word {
    const start = this.#at;
    let text = "";
    while (this.#at < this.line.length) {
      const char = this.line[this.#at] ?? "";
      if (/[\s|;&()<>]/.test(char)) break;
      if (char === "'") text += this.#until("'");
      else if (char === '"') text += this.#doubleQuoted(depth);
      else if (char === "\\") {
        text += this.line[this.#at + 1] ?? "";
        this.#at += 2;
      } else text += this.#substitution(depth) ?? this.#plain();
    }
    // A stray sign would otherwise never be left.
    if (this.#at === start) this.#at++;
    return { start, end: this.#at, text };
  }

  #plain(): string {
    return this.line[this.#at++] ?? "";
  }

  #until(quote: string): string {
    const close = this.line.indexOf(quote, this.#at + 1);
    const end = close < 0 ? this.line.length : close;
    const text = this.line.slice(this.#at + 1, end);
    this.#at = end + 1;
    return text;
  }

  #doubleQuoted(depth: number): string {
    this.#at++;
    let text = "";
    while (this.#at < this.line.length && this.line[this.#at] !== '"') {
      if (this.line[this.#at] === "\\" && /["\\$`]/.test(this.line[this.#at + 1] ?? "")) {
        text += this.line[this.#at + 1];
        this.#at += 2;
      } else text += this.#substitution(depth) ?? this.#plain();
    }
    this.#at++;
    return text;
  }

  /** `$(...)`, `${...}` or backticks, as they stand; undefined where none begins. */
  #substitution(depth: number): string | undefined {
    const start = this.#at;
    const rest = this.line.slice(start);
    if (rest.startsWith("${")) {
      this.#until("}");
    } else if (rest.startsWith("$(")) {
      this.#at += 2;
      this.list(depth + 1, ")");
    } else if (rest.startsWith("`")) {
      this.#at += 1;
      this.list(depth + 1, "`");
    } else {
      return undefined;
    }
    return this.line.slice(start, this.#at);
  }
}
