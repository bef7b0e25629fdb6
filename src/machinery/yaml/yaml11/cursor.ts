import { YamlError } from "../yaml-error.js";

/** A place in the text, everything counted from zero. */
export interface Mark {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

/** A syntax error at `at`; when that is on the first line its number is left out, as goyaml does. `counted` is the line it names. */
function syntaxError(problem: string, at: Mark, counted: number): YamlError {
  const where = counted === 0 ? "" : `line ${counted}: `;
  return new YamlError(`error converting YAML to JSON: yaml: ${where}${problem}`, {
    line: at.line + 1,
    column: at.column + 1,
  });
}

/** What the scanner reports: lines count from one. */
export const scannerError = (problem: string, at: Mark): YamlError =>
  syntaxError(problem, at, at.line === 0 ? 0 : at.line + 1);

/** What the parser reports: lines count from zero, and the first falls back on where the construct began. */
export const parserError = (problem: string, at: Mark, context?: Mark): YamlError =>
  syntaxError(problem, at, at.line === 0 ? (context?.line ?? 0) : at.line);

export const isBlank = (character: string): boolean => character === " " || character === "\t";

/** YAML 1.1 has five line breaks. */
export const isBreak = (character: string): boolean =>
  character === "\n" ||
  character === "\r" ||
  character === "\u0085" ||
  character === "\u2028" ||
  character === "\u2029";

/** A break or the end of the text. */
export const isBreakOrEnd = (character: string): boolean => character === "" || isBreak(character);

export const isSpaceOrEnd = (character: string): boolean => isBlank(character) || isBreakOrEnd(character);

/** Letters, digits, `_` and `-`: what names are made of. */
export const isWord = (character: string): boolean => /^[0-9A-Za-z_-]$/.test(character);

/** Walks over a text, minding lines and columns. */
export class Cursor {
  readonly #text: string;
  #index = 0;
  #line = 0;
  #column = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get mark(): Mark {
    return { index: this.#index, line: this.#line, column: this.#column };
  }

  get line(): number {
    return this.#line;
  }

  get column(): number {
    return this.#column;
  }

  get index(): number {
    return this.#index;
  }

  /** The character `offset` ahead; "" beyond the end. */
  peek(offset = 0): string {
    return this.#text.charAt(this.#index + offset);
  }

  skip(count = 1): void {
    this.#index += count;
    this.#column += count;
  }

  /** Takes one character, which is no line break. */
  read(): string {
    const character = this.peek();
    this.skip();
    return character;
  }

  /** Takes a line break and gives it as text has it: CRLF, CR and U+0085 are a line feed. */
  readBreak(): string {
    const character = this.peek();
    this.#index += character === "\r" && this.peek(1) === "\n" ? 2 : 1;
    this.#line += 1;
    this.#column = 0;
    return character === "\u2028" || character === "\u2029" ? character : "\n";
  }

  skipWhile(accepts: (character: string) => boolean): void {
    while (accepts(this.peek())) this.skip();
  }

  /** Up to the end of the line, when a comment begins here. */
  skipComment(): void {
    if (this.peek() === "#") this.skipWhile((character) => !isBreakOrEnd(character));
  }

  /** `---` or `...` alone at the beginning of a line. */
  atDocumentIndicator(): boolean {
    if (this.#column !== 0) return false;
    const three = this.#text.slice(this.#index, this.#index + 3);
    return (three === "---" || three === "...") && isSpaceOrEnd(this.peek(3));
  }

  /** The end of the text counts as a line of its own. */
  startLine(): void {
    if (this.#column === 0) return;
    this.#column = 0;
    this.#line += 1;
  }
}
