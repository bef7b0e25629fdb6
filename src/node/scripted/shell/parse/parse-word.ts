import { dictionary } from "../../../../base/collections/dictionary.js";
import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import { byteText } from "../expansion/byte-text.js";
import { type Command, type Index, type ParameterPart, type Part, ShellSyntaxError, type Word } from "./syntax.js";

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const DIGITS = /\d+/y;
const SPECIAL = /[?$#@*!\-0-9]/;
const GIVEN = /:?[-=+?]/y;
const EDGES = /%%|##|%|#/y;
const CASES = /\^\^|\^|,,|,/y;
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
  /** In double quotes a single quote means itself, as do most backslashes. */
  readonly isInQuotes?: boolean;
  /** In a here-document a double quote means itself as well. */
  readonly hasPlainQuotes?: boolean;
}

const OUTSIDE: Ending = { ends: /[\s;&|<>()]/, plain: /[^\s;&|<>()\\'"$`]+/y };
const IN_BRACES: Ending = { ends: /}/, plain: /[^}\\'"$`]+/y };
const IN_QUOTED_BRACES: Ending = { ends: /}/, plain: /[^}\\"$`]+/y, isInQuotes: true };
const BEFORE_SLASH: Ending = { ends: /[}/]/, plain: /[^}/\\'"$`]+/y };
const BEFORE_COLON: Ending = { ends: /[}:]/, plain: /[^}:\\'"$`]+/y };
const BEFORE_BRACKET: Ending = { ends: /\]/, plain: /[^\]\\'"$`]+/y };
const BEFORE_PARENTHESIS: Ending = { ends: /[\s()]/, plain: /[^\s()\\'"$`]+/y };
const TO_END: Ending = { ends: /(?!)/, plain: /[^\\'"$`]+/y };
const DOCUMENT: Ending = { ends: /(?!)/, plain: /[^\\$`]+/y, isInQuotes: true, hasPlainQuotes: true };
const QUOTED = /[^"\\$`]+/y;
const BACKQUOTED = /[^`\\]+/y;
const ANSI_C = /\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,6})|([^]))/g;
const ANSI_C_LETTERS: Readonly<Record<string, string>> = dictionary({
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  E: "\x1b",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
});

/** Parses the commands of $(...) and of backquotes. */
export interface Substitutions {
  /** The commands from the reader's place on, with the parenthesis that ends them. */
  inParentheses(): Steps<Command>;
  ofText(script: string, line: number): Steps<Command>;
}

/** Reads words of a script, from a place that it moves on. Its steps yield in long scripts. */
export class WordReader {
  readonly #pace = new Pace(PARTS_PER_STEP);
  /** A place, and its line. */
  #counted: { readonly at: number; readonly line: number };
  /** The text up to where it ends for the word that is read. */
  #window: string;
  at = 0;

  constructor(
    /** The script, with what aliases stand for in their places. */
    public text: string,
    /** Counts the bytes that what was read takes. */
    private readonly take: (bytes: number) => void,
    private readonly substitutions: Substitutions,
    firstLine: number,
    private depth: number,
  ) {
    this.#window = text;
    this.#counted = { at: 0, line: firstLine };
  }

  /** Whether only a part of the text is read: up to a place that was found before. */
  get isBounded(): boolean {
    return this.#window.length < this.text.length;
  }

  /** Puts a value in the place of the next characters. Lines are counted as before. */
  replace(length: number, value: string): void {
    this.#counted = { at: this.at + value.length, line: this.line };
    this.text = this.text.slice(0, this.at) + value + this.text.slice(this.at + length);
    this.#window = this.text;
  }

  get line(): number {
    const { at, line } = this.#counted;
    const passed = lineBreaks(this.text.slice(Math.min(at, this.at), Math.max(at, this.at)));
    this.#counted = { at: this.at, line: this.at < at ? line - passed : line + passed };
    return this.#counted.line;
  }

  /** How deep the words are that are read now. */
  get nested(): number {
    return this.depth;
  }

  /** The word that begins here; undefined when none does. */
  *word(): Steps<Word | undefined> {
    const parts = yield* this.#parts(OUTSIDE);
    return parts.length === 0 ? undefined : parts;
  }

  /** A regular expression of [[ a =~ b ]]: parentheses and | are part of it. */
  *regularExpression(): Steps<Word> {
    const parts: Part[] = [];
    for (let open = 0; ; ) {
      for (const part of yield* this.#parts(BEFORE_PARENTHESIS)) this.#add(parts, part);
      const char = this.#char();
      if (char === undefined || (open === 0 && char !== "(")) return parts;
      open += char === "(" ? 1 : char === ")" ? -1 : 0;
      this.#add(parts, { kind: "text", text: this.#one(), quoted: false });
    }
  }

  /** The text before `end` as one word, as between the parentheses of $((...)) and in a[...]=. Moves on to `end`. */
  *wordUpTo(end: number): Steps<Word> {
    const outer = this.#window;
    this.#window = this.text.slice(0, end);
    try {
      return yield* this.#parts(TO_END);
    } finally {
      this.#window = outer;
    }
  }

  /** All of the text as the body of a here-document. */
  hereDocument(): Steps<Word> {
    return this.#parts(DOCUMENT);
  }

  /** Where the parentheses end whose first two are before `from`; undefined where the last two are not together. */
  *endOfDouble(from: number): Steps<number | undefined> {
    let depth = 0;
    for (let index = from; index < this.#window.length; index += 1) {
      if (this.#pace.isDue()) yield;
      const char = this.text[index];
      if (char === "(") depth += 1;
      else if (char === ")" && depth > 0) depth -= 1;
      else if (char === ")") return this.text[index + 1] === ")" ? index : undefined;
    }
    throw this.incomplete('Missing "))"');
  }

  incomplete(expected: string): ShellSyntaxError {
    return new ShellSyntaxError(`Syntax error: ${expected}`, this.line, true);
  }

  *#parts(ending: Ending): Steps<Part[]> {
    const { ends, plain } = ending;
    if (this.depth >= MOST_NESTED) throw new ShellSyntaxError("Syntax error: nested too deeply", this.line);
    this.depth += 1;
    const parts: Part[] = [];
    for (;;) {
      if (this.#pace.isDue()) yield;
      const char = this.#char();
      const isProcess = ending === OUTSIDE && (char === "<" || char === ">") && this.text[this.at + 1] === "(";
      if (char === undefined || (ends.test(char) && !isProcess)) break;
      if (isProcess) this.#add(parts, yield* this.#process(char));
      else if (char === "\\") this.#add(parts, this.#escaped(ending));
      else if (char === "'" && ending.isInQuotes !== true) {
        this.at += 1;
        this.#add(parts, this.#singleQuoted());
      } else if (char === '"' && ending.hasPlainQuotes !== true) {
        this.at += 1;
        yield* this.#doubleQuoted(parts);
      } else if (char === "$" || char === "`") {
        const isQuoted = ending.hasPlainQuotes === true;
        this.#add(parts, yield* this.#expansion(isQuoted, ending.isInQuotes === true));
      } else this.#add(parts, { kind: "text", text: this.#run(plain) || this.#one(), quoted: false });
    }
    this.depth -= 1;
    return parts;
  }

  /** <(commands), >(commands) */
  *#process(direction: "<" | ">"): Steps<Part> {
    this.at += 2;
    return { kind: "process", direction, body: yield* this.substitutions.inParentheses(), quoted: true };
  }

  /** The character here; undefined at the end. */
  #char(): string | undefined {
    return this.at < this.#window.length ? this.text[this.at] : undefined;
  }

  #escaped({ isInQuotes = false, hasPlainQuotes = false }: Ending): Part {
    const next = this.at + 1 < this.#window.length ? this.text[this.at + 1] : undefined;
    this.at += 2;
    if (next === undefined) {
      this.at = this.#window.length;
      // Outside of quotes something may follow on the next line.
      if (isInQuotes || this.isBounded) return { kind: "text", text: "\\", quoted: true };
      throw this.incomplete("end of file unexpected");
    }
    if (next === "\n") return { kind: "text", text: "", quoted: false };
    const isMeant = !isInQuotes || "$`\\".includes(next) || (!hasPlainQuotes && '"}'.includes(next));
    return { kind: "text", text: isMeant ? next : `\\${next}`, quoted: true };
  }

  /** Plain texts that follow each other are one. */
  #add(parts: Part[], part: Part): void {
    if (part.kind === "text" && part.text === "" && !part.quoted) return;
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
    const [run = ""] = pattern.exec(this.#window) ?? [];
    this.at += run.length;
    return run;
  }

  #one(): string {
    const char = this.#char() ?? "";
    this.at += 1;
    return char;
  }

  #singleQuoted(): Part {
    const end = this.text.indexOf("'", this.at);
    if (end < 0 || end >= this.#window.length) throw this.incomplete("Unterminated quoted string");
    const text = this.text.slice(this.at, end);
    this.at = end + 1;
    return { kind: "text", text, quoted: true };
  }

  /** $'...': escapes in it are characters. */
  #ansiQuoted(): Part {
    let end = this.at;
    while (end < this.#window.length && this.text[end] !== "'") end += this.text[end] === "\\" ? 2 : 1;
    if (end >= this.#window.length) throw this.incomplete("Unterminated quoted string");
    const text = this.text.slice(this.at, end).replace(ANSI_C, ansiCharacter);
    this.at = end + 1;
    return { kind: "text", text, quoted: true };
  }

  *#doubleQuoted(parts: Part[]): Steps<void> {
    // An empty string is a field too.
    this.#add(parts, { kind: "text", text: "", quoted: true });
    for (;;) {
      if (this.#pace.isDue()) yield;
      const char = this.#char();
      if (char === undefined) throw this.incomplete("Unterminated quoted string");
      if (char === '"') break;
      if (char === "\\") {
        const next = this.text[this.at + 1] ?? "";
        const text = next === "\n" ? "" : '$`"\\'.includes(next) && next !== "" ? next : `\\${next}`;
        this.#add(parts, { kind: "text", text, quoted: true });
        this.at += 2;
      } else if (char === "$" || char === "`") this.#add(parts, yield* this.#expansion(true, true));
      else this.#add(parts, { kind: "text", text: this.#run(QUOTED), quoted: true });
    }
    this.at += 1;
  }

  /** `isInQuotes`: a single quote behind $ begins nothing. */
  *#expansion(quoted: boolean, isInQuotes: boolean): Steps<Part> {
    const { line } = this;
    if (this.text[this.at] === "`") {
      const script = yield* this.#backquoted();
      return { kind: "command", body: yield* this.substitutions.ofText(script, line), quoted };
    }
    if (this.text.startsWith("$((", this.at)) {
      const arithmetic = yield* this.#arithmetic(quoted);
      if (arithmetic !== undefined) return arithmetic;
    }
    this.at += 1;
    const char = this.#char() ?? "";
    if (char === "(") {
      this.at += 1;
      return { kind: "command", body: yield* this.substitutions.inParentheses(), quoted };
    }
    if (char === "{") return yield* this.#braced(quoted, isInQuotes);
    if (char === "'" && !isInQuotes) {
      this.at += 1;
      return this.#ansiQuoted();
    }
    if (SPECIAL.test(char)) {
      this.at += 1;
      return { kind: "parameter", name: char, quoted };
    }
    const name = this.#run(NAME);
    if (name !== "") return { kind: "parameter", name, quoted };
    // $"..." is a text to translate, which nothing does.
    return { kind: "text", text: char === '"' && !isInQuotes ? "" : "$", quoted };
  }

  *#braced(quoted: boolean, isInQuotes: boolean): Steps<ParameterPart> {
    this.at += 1;
    const [first, second = "}"] = [this.#char(), this.text[this.at + 1]];
    const kind = "parameter";
    if (first === "#" && second !== "}" && !/[-=+?:%#/]/.test(second)) {
      this.at += 1;
      const name = this.#parameterName();
      const index = yield* this.#index();
      this.#closeBrace();
      return { kind, name, ...(index !== undefined && { index }), form: "length", quoted };
    }
    const isIndirect = first === "!" && /[A-Za-z_0-9@*#]/.test(second);
    if (isIndirect) this.at += 1;
    const name = this.#parameterName();
    const index = yield* this.#index();
    if (isIndirect && index === undefined && /[*@]/.test(this.#char() ?? "")) {
      this.at += 1;
      this.#closeBrace();
      return { kind, name, form: "names", quoted };
    }
    const form = isIndirect ? (index === "@" || index === "*" ? "keys" : "indirect") : undefined;
    const operation = yield* this.#operation(isInQuotes);
    this.#closeBrace();
    return { kind, name, ...(index !== undefined && { index }), ...(form && { form }), ...operation, quoted };
  }

  /** What follows a name in braces. */
  *#operation(isInQuotes: boolean): Steps<Pick<ParameterPart, "operator" | "word" | "second">> {
    const given = this.#run(GIVEN);
    if (given !== "") return { operator: given, word: yield* this.#parts(isInQuotes ? IN_QUOTED_BRACES : IN_BRACES) };
    const edge = this.#run(EDGES);
    if (edge !== "") return { operator: edge, word: yield* this.#parts(IN_BRACES) };
    const operator = this.#run(CASES);
    if (operator !== "") return { operator };
    if (this.#char() === "/") {
      const [, place = ""] = /^\/([/#%]?)/.exec(this.text.slice(this.at, this.at + 2)) ?? [];
      this.at += 1 + place.length;
      const word = yield* this.#parts(BEFORE_SLASH);
      if (this.#char() !== "/") return { operator: `/${place}`, word };
      this.at += 1;
      return { operator: `/${place}`, word, second: yield* this.#parts(isInQuotes ? IN_QUOTED_BRACES : IN_BRACES) };
    }
    if (this.#char() !== ":") return {};
    this.at += 1;
    const word = yield* this.#parts(BEFORE_COLON);
    if (this.#char() !== ":") return { operator: ":", word };
    this.at += 1;
    return { operator: ":", word, second: yield* this.#parts(IN_BRACES) };
  }

  #parameterName(): string {
    const digits = this.#run(DIGITS);
    if (digits !== "") return digits;
    const char = this.#char() ?? "";
    if (SPECIAL.test(char)) {
      this.at += 1;
      return char;
    }
    const name = this.#run(NAME);
    if (name === "") throw this.#badSubstitution();
    return name;
  }

  *#index(): Steps<Index | undefined> {
    if (this.#char() !== "[") return undefined;
    this.at += 1;
    const [all] = /^[@*](?=\])/.exec(this.text.slice(this.at, this.at + 2)) ?? [];
    this.at += all?.length ?? 0;
    const index = all === "@" || all === "*" ? all : yield* this.#parts(BEFORE_BRACKET);
    if (this.#char() !== "]") throw this.#badSubstitution();
    this.at += 1;
    return index;
  }

  #closeBrace(): void {
    if (this.at >= this.#window.length) throw this.incomplete("Missing '}'");
    if (this.text[this.at] !== "}") throw this.#badSubstitution();
    this.at += 1;
  }

  #badSubstitution(): ShellSyntaxError {
    return new ShellSyntaxError("Bad substitution", this.line, false, "parameter expansion");
  }

  *#arithmetic(quoted: boolean): Steps<Part | undefined> {
    const end = yield* this.endOfDouble(this.at + 3);
    if (end === undefined) return undefined;
    this.at += 3;
    const expression = yield* this.wordUpTo(end);
    this.at = end + 2;
    return { kind: "arithmetic", expression, quoted };
  }

  *#backquoted(): Steps<string> {
    const pieces: string[] = [];
    this.at += 1;
    while (this.at < this.#window.length) {
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

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function ansiCharacter(
  whole: string,
  octal: string | undefined,
  hex: string | undefined,
  short: string | undefined,
  long: string | undefined,
  letter: string | undefined,
): string {
  if (octal !== undefined) return byteText(Number.parseInt(octal, 8));
  if (hex !== undefined) return byteText(Number.parseInt(hex, 16));
  const code = Number.parseInt(short ?? long ?? "", 16);
  if (Number.isInteger(code)) return code <= 0x10_ffff ? String.fromCodePoint(code) : "";
  return ANSI_C_LETTERS[letter ?? ""] ?? whole;
}
