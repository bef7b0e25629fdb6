import { dictionary } from "../../../../base/collections/dictionary.js";
import { AwkError } from "./awk-syntax.js";

export interface Token {
  readonly kind: "number" | "string" | "name" | "call" | "keyword" | "builtin" | "operator" | "newline" | "end";
  readonly text: string;
  readonly at: number;
}

const KEYWORDS = new Set(
  "BEGIN END function func if else while for do break continue next nextfile exit return delete in getline print printf".split(
    " ",
  ),
);
const BUILTINS = new Set(
  "length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper system close fflush systime strftime".split(
    " ",
  ),
);
const TOKEN =
  /(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)|(\n)|(\*\*=|\*\*|&&|\|\||\+\+|--|\+=|-=|\*=|\/=|%=|\^=|==|<=|>=|!=|!~|>>|[-+*/%^!<>|?:~$=(){}[\];,]))/y;
const BLANK = /(?:[ \t\r]|\\\r?\n|#[^\n]*)*/y;

const ESCAPES: Readonly<Record<string, string>> = dictionary({
  n: "\n",
  t: "\t",
  r: "\r",
  f: "\f",
  v: "\v",
  a: "\x07",
  b: "\b",
  "\\": "\\",
  '"': '"',
  "/": "/",
});

/** Replaces the escapes of a string; an unknown one keeps its backslash. */
export function unescapeAwk(text: string): string {
  return text.replace(
    /\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|([^]))/g,
    (whole, octal: string | undefined, hex: string | undefined, char: string | undefined) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return char === "\n" ? "" : (ESCAPES[char ?? ""] ?? whole);
    },
  );
}

/** Reads the tokens of a program one by one. */
export class AwkLexer {
  #at = 0;

  constructor(private readonly text: string) {}

  lineOf(at: number): number {
    return this.text.slice(0, at).split("\n").length;
  }

  next(): Token {
    BLANK.lastIndex = this.#at;
    this.#at += BLANK.exec(this.text)?.[0].length ?? 0;
    const at = this.#at;
    if (at >= this.text.length) return { kind: "end", text: "", at };
    if (this.text[at] === '"') return { kind: "string", text: this.#string(), at };
    TOKEN.lastIndex = at;
    const [whole, number, name, newline] = TOKEN.exec(this.text) ?? [];
    if (whole === undefined)
      throw new AwkError(`line ${this.lineOf(at)}: syntax error at or near ${this.text[at] ?? ""}`);
    this.#at += whole.length;
    if (number !== undefined) return { kind: "number", text: whole, at };
    if (newline !== undefined) return { kind: "newline", text: "\n", at };
    if (name === undefined) return { kind: "operator", text: whole, at };
    if (KEYWORDS.has(name)) return { kind: "keyword", text: name === "func" ? "function" : name, at };
    if (BUILTINS.has(name)) return { kind: "builtin", text: name, at };
    return { kind: this.text[this.#at] === "(" ? "call" : "name", text: name, at };
  }

  /** Whether a word comes next. */
  sees(word: string): boolean {
    return this.text
      .slice(this.#at, this.#at + 64)
      .trimStart()
      .startsWith(word);
  }

  /** The regular expression that begins with the slash of a token. */
  regexp({ at }: Token): string {
    let end = at + 1;
    let inBrackets = false;
    for (; ; end += 1) {
      const char = this.text[end];
      if (char === undefined || char === "\n")
        throw new AwkError(`line ${this.lineOf(at)}: runaway regular expression ${this.text.slice(at, at + 10)} ...`);
      if (char === "\\") end += 1;
      else if (char === "[" && !inBrackets) {
        inBrackets = true;
        if (this.text[end + 1] === "^") end += 1;
        if (this.text[end + 1] === "]") end += 1;
      } else if (char === "[" && this.text[end + 1] === ":") {
        const close = this.text.slice(end, end + 16).indexOf(":]");
        if (close > 0) end += close + 1;
      } else if (char === "]") inBrackets = false;
      else if (char === "/" && !inBrackets) break;
    }
    this.#at = end + 1;
    return this.text.slice(at + 1, end);
  }

  #string(): string {
    const start = this.#at + 1;
    let end = start;
    while (this.text[end] !== '"') {
      if (end >= this.text.length || this.text[end] === "\n")
        throw new AwkError(
          `line ${this.lineOf(start)}: runaway string constant ${this.text.slice(this.#at, this.#at + 10)} ...`,
        );
      end += this.text[end] === "\\" ? 2 : 1;
    }
    this.#at = end + 1;
    return unescapeAwk(this.text.slice(start, end));
  }
}
