import { YamlError } from "../yaml-error.js";

/** A place in the text, everything counted from zero. */
export interface Mark {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

/** Which line an error names; 0: none, as for the first. The two versions of goyaml differ in it. */
interface NamedLines {
  readonly v2: number;
  readonly v3: number;
}

function syntaxError(problem: string, at: Mark, { v2, v3 }: NamedLines): YamlError {
  const where = v2 === 0 ? "" : `line ${v2}: `;
  return new YamlError(`error converting YAML to JSON: yaml: ${where}${problem}`, {
    line: at.line + 1,
    column: at.column + 1,
    lineOfGoyaml3: v3,
  });
}

/** Makes an error of the scanner for a token that begins at `start`: lines count from one; goyaml v3 names the line of the start. */
export const scannerError = (problem: string, at: Mark, start: Mark): YamlError => {
  const counted = ({ line }: Mark): number => (line === 0 ? 0 : line + 1);
  return syntaxError(problem, at, { v2: counted(at), v3: counted(start) || counted(at) });
};

/**
 * Makes an error of the parser: lines count from zero. goyaml v2 names the line of the error, or else that of the construct; v3
 * names them in the opposite order.
 */
export const parserError = (problem: string, at: Mark, context?: Mark): YamlError =>
  syntaxError(problem, at, { v2: at.line || (context?.line ?? 0), v3: (context?.line ?? 0) || at.line });

export const isBlank = (character: string): boolean => character === " " || character === "\t";

/** Whether a character is one of YAML 1.1's five line breaks. */
export const isBreak = (character: string): boolean =>
  character === "\n" ||
  character === "\r" ||
  character === "\u0085" ||
  character === "\u2028" ||
  character === "\u2029";

/** Whether a character is a line break or the end of the text. */
export const isBreakOrEnd = (character: string): boolean => character === "" || isBreak(character);

export const isSpaceOrEnd = (character: string): boolean => isBlank(character) || isBreakOrEnd(character);

/** Whether a character may be part of a name: letters, digits, `_` and `-`. */
export const isWord = (character: string): boolean => /^[0-9A-Za-z_-]$/.test(character);

/** A position in a text that moves forward and counts lines and columns. */
export class Cursor {
  readonly #text: string;
  #index = 0;
  #line = 0;
  #column = 0;
  /** Where the token that is being read begins. */
  #tokenStart: Mark = { index: 0, line: 0, column: 0 };

  constructor(text: string) {
    this.#text = text;
  }

  get mark(): Mark {
    return { index: this.#index, line: this.#line, column: this.#column };
  }

  startToken(): void {
    this.#tokenStart = this.mark;
  }

  /** An error here, in the token that is being read. */
  error(problem: string): YamlError {
    return scannerError(problem, this.mark, this.#tokenStart);
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
