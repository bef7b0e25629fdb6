import { append } from "../../../base/collections/append.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";
import { int64Of } from "../../../base/numbers/int64.js";
import { JsonPathError, type Bound, type Step, type Template, type TemplatePart } from "./nodes.js";

/** Parses client-go's dialect of JSONPath templates. Throws {@link JsonPathError} in client-go's words. */
export function parseTemplate(text: string): Template {
  const parts: TemplatePart[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{", at);
    const end = open === -1 ? text.length : open;
    if (end > at) parts.push({ kind: "text", text: text.slice(at, end) });
    if (open === -1) break;
    const parser = new ActionParser(text, open + 1);
    parts.push({ kind: "action", steps: parser.parse() });
    at = parser.position;
  }
  return parts;
}

/** The steps of one action, given without its braces. What follows a closing brace inside it is ignored. */
function parseAction(text: string): readonly Step[] {
  return new ActionParser(`${text}}`, 0).parse();
}

function isTerminator(character: string): boolean {
  return character === "" || " \t\r\n.,[]$@{}".includes(character);
}

function isAlphaNumeric(character: string): boolean {
  return /^[\p{L}\p{Nd}_]$/u.test(character);
}

class ActionParser {
  readonly #text: string;
  #at: number;
  readonly #steps: Step[] = [];

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** After {@link parse}: just behind the closing brace. */
  get position(): number {
    return this.#at;
  }

  parse(): readonly Step[] {
    while (!this.#text.startsWith("}", this.#at)) this.#parseStep();
    this.#at += 1;
    return this.#steps;
  }

  #peek(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #next(): string {
    const character = this.#peek();
    this.#at += character.length;
    return character;
  }

  #parseStep(): void {
    if (this.#text.startsWith("[?(", this.#at)) return this.#parseFilter();
    if (this.#text.startsWith("..", this.#at)) return this.#parseRecursive();
    const character = this.#next();
    if (character === "" || character === "\r" || character === "\n") throw new JsonPathError("unclosed action");
    // The current object and the root are where a path begins anyway.
    if (character === " " || character === "@" || character === "$") return;
    if (character === "[") return this.#parseArray();
    if (character === '"' || character === "'") return this.#parseQuote(character);
    if (character === ".") return this.#parseField();
    this.#at -= character.length;
    if (/^[-+\p{Nd}]$/u.test(character)) return this.#parseNumber();
    if (isAlphaNumeric(character)) return this.#parseIdentifier();
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const shown = /^\P{C}$/u.test(character) ? ` '${character}'` : "";
    throw new JsonPathError(`unrecognized character in action: U+${code}${shown}`);
  }

  #parseIdentifier(): void {
    const start = this.#at;
    while (!isTerminator(this.#peek())) this.#next();
    const name = this.#text.slice(start, this.#at);
    if (name === "true" || name === "false")
      this.#steps.push({ kind: "literal", value: name === "true", float: false });
    else this.#steps.push({ kind: "identifier", name });
  }

  #parseRecursive(): void {
    if (this.#steps.at(-1)?.kind === "recursive") throw new JsonPathError("invalid multiple recursive descent");
    this.#at += 2;
    this.#steps.push({ kind: "recursive" });
    if (isAlphaNumeric(this.#peek())) this.#parseField();
  }

  #parseNumber(): void {
    const start = this.#at;
    if (this.#peek() === "+" || this.#peek() === "-") this.#next();
    while (/^[.\p{Nd}]$/u.test(this.#peek())) this.#next();
    const text = this.#text.slice(start, this.#at);
    if (/^[-+]?[0-9]+$/.test(text)) this.#steps.push({ kind: "literal", value: integer(text), float: false });
    else if (/^[-+]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/.test(text)) {
      this.#steps.push({ kind: "literal", value: Number(text), float: true });
    } else throw new JsonPathError(`cannot parse number ${text}`);
  }

  #parseField(): void {
    const start = this.#at;
    for (;;) {
      const character = this.#peek();
      if (character === "\\") {
        this.#next();
        this.#next();
      } else if (isTerminator(character)) break;
      else this.#next();
    }
    const name = this.#text.slice(start, this.#at);
    this.#steps.push(name === "*" ? { kind: "wildcard" } : { kind: "field", name: name.replaceAll("\\", "") });
  }

  #parseQuote(quote: string): void {
    const start = this.#at - 1;
    for (;;) {
      const character = this.#next();
      if (character === "" || character === "\n") throw new JsonPathError("unterminated quoted string");
      if (character === quote && this.#text[this.#at - 2] !== "\\") break;
    }
    const quoted = this.#text.slice(start, this.#at);
    try {
      this.#steps.push({ kind: "text", text: unquote(quoted) });
    } catch (error) {
      if (!(error instanceof JsonPathError)) throw error;
      throw new JsonPathError(`unquote string ${quoted} error ${error.message}`);
    }
  }

  #parseArray(): void {
    const start = this.#at;
    for (;;) {
      const character = this.#next();
      if (character === "" || character === "\n") throw new JsonPathError("unterminated array");
      if (character === "]") break;
    }
    const inside = this.#text.slice(start, this.#at - 1);
    const text = inside === "*" ? ":" : inside;
    const alternatives = text.split(",");
    if (alternatives.length > 1) {
      const parsed = alternatives.map((one) => parseAction(`[${withoutTrailing(one.replace(/^ +/, ""), " ")}]`));
      this.#steps.push({ kind: "union", alternatives: parsed });
      return;
    }
    const key = /^'([^']*)'$/.exec(text);
    if (key !== null) append(this.#steps, parseAction(`.${key[1]}`));
    else this.#steps.push(parseSlice(text));
  }

  #parseFilter(): void {
    this.#at += 3;
    const start = this.#at;
    let pair = "";
    let closed = false;
    for (;;) {
      const character = this.#next();
      if (character === "" || character === "\n") throw new JsonPathError("unterminated filter");
      if (character === '"' || character === "'") {
        if (pair === "") pair = character;
        else if (this.#text[this.#at - 2] !== "\\" && character === pair) closed = true;
      } else if (character === ")" && (pair !== "") === closed) break;
    }
    if (this.#next() !== "]") throw new JsonPathError("unclosed array expect ]");
    const text = this.#text.slice(start, this.#at - 2);
    const comparison = comparisonIn(text);
    if (comparison === undefined) {
      this.#steps.push({ kind: "filter", left: parseAction(text), operator: "exists", right: [] });
      return;
    }
    const { left, operator, right } = comparison;
    this.#steps.push({ kind: "filter", left: parseAction(left), operator, right: parseAction(right) });
  }
}

/**
 * What `^([^!<>=]+)([!<>=]+)(.+?)$` finds, which is kubectl's, in one pass: an operator with nothing after it gives its last
 * character to the right side. A line break on the right side makes it no comparison.
 */
function comparisonIn(
  text: string,
): { readonly left: string; readonly operator: string; readonly right: string } | undefined {
  const [all = "", left = "", signs = ""] = /^([^!<>=]+)([!<>=]+)/.exec(text) ?? [];
  const end = all.length === text.length ? all.length - 1 : all.length;
  const [operator, right] = [signs.slice(0, end - left.length), text.slice(end)];
  return operator === "" || right === "" || /[\n\r\u2028\u2029]/.test(right) ? undefined : { left, operator, right };
}

/** Exact within int64, as data has its integers. */
function integer(text: string): number | bigint {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  const whole = int64Of(text);
  if (whole === undefined) throw new JsonPathError(`cannot parse number ${text}`);
  return whole;
}

function parseSlice(text: string): Step {
  const match = /^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$/.exec(text);
  if (match === null) throw new JsonPathError(`invalid array index ${text}`);
  const [, first = "", second, third] = match;
  const from = bound(first);
  const to: Bound = second === undefined ? { value: (from?.value ?? 0) + 1, derived: true } : bound(second.slice(1));
  return { kind: "slice", from, to, step: third === undefined ? undefined : bound(third.slice(1)) };
}

function bound(text: string): Bound {
  if (text === "") return undefined;
  if (text === "-") throw new JsonPathError("array index - is not a number");
  return { value: Number(text) };
}

const simple = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
]);

/** Undoes Go's quoting, of a string in double or single quotes (then of any length). Throws "invalid syntax". */
function unquote(quoted: string): string {
  const quote = quoted[0];
  const inner = quoted.slice(1, -1);
  let text = "";
  for (let at = 0; at < inner.length; ) {
    const character = inner.charAt(at);
    if (character === quote) throw invalid();
    if (character !== "\\") {
      text += character;
      at += 1;
      continue;
    }
    const read = readEscape(inner, at + 1, quote ?? "");
    text += read.text;
    at = read.end;
  }
  return text;
}

function readEscape(text: string, at: number, quote: string): { readonly text: string; readonly end: number } {
  const kind = text.charAt(at);
  const known = simple.get(kind);
  if (known !== undefined) return { text: known, end: at + 1 };
  if (kind === "'" || kind === '"') {
    if (kind !== quote) throw invalid();
    return { text: kind, end: at + 1 };
  }
  const digits = { x: 2, u: 4, U: 8 }[kind];
  if (digits !== undefined) return numeric(text, at + 1, digits, 16);
  if (/[0-7]/.test(kind)) return numeric(text, at, 3, 8);
  throw invalid();
}

function numeric(
  text: string,
  at: number,
  length: number,
  base: 8 | 16,
): { readonly text: string; readonly end: number } {
  const digits = text.slice(at, at + length);
  const wanted = base === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/;
  if (digits.length !== length || !wanted.test(digits)) throw invalid();
  const code = Number.parseInt(digits, base);
  if ((base === 8 && code > 255) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw invalid();
  return { text: String.fromCodePoint(code), end: at + length };
}

function invalid(): JsonPathError {
  return new JsonPathError("invalid syntax");
}
