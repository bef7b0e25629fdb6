/** A fault in an expression. */
export interface Issue {
  readonly message: string;
  /** From 1; 0 with column -1: the issue has no place. */
  readonly line: number;
  /** From 0, in code points. */
  readonly column: number;
}

/** As many issues as cel-go lists; it only counts the rest. */
const MOST = 100;

/** The source of an expression, with its code points and the beginnings of its lines, which are computed on first use. */
export class SourceText {
  #points: readonly string[] | undefined;
  #lineStarts: readonly number[] | undefined;

  constructor(readonly text: string) {}

  get points(): readonly string[] {
    return (this.#points ??= Array.from(this.text));
  }

  get #starts(): readonly number[] {
    this.#lineStarts ??= [0, ...this.points.flatMap((point, index) => (point === "\n" ? [index + 1] : []))];
    return this.#lineStarts;
  }

  /** The place of a code point. */
  locate(offset: number): { readonly line: number; readonly column: number } {
    let line = this.#starts.findLastIndex((start) => start <= offset);
    if (line === -1) line = 0;
    return { line: line + 1, column: offset - (this.#starts[line] ?? 0) };
  }

  /** A line, counted from 1, without its end; undefined if there is none. */
  line(number: number): string | undefined {
    const start = this.#starts[number - 1];
    if (start === undefined) return undefined;
    const next = this.#starts[number];
    return this.points.slice(start, next === undefined ? undefined : next - 1).join("");
  }
}

/** The issues of one expression, in the order in which they were found. */
export class Issues {
  readonly source: SourceText;
  readonly #found: Issue[] = [];
  readonly #snippets = new Map<number, Snippet | undefined>();
  #count = 0;

  constructor(source: SourceText) {
    this.source = source;
  }

  get count(): number {
    return this.#count;
  }

  /** Reports at a code point, or at no place. */
  report(offset: number | undefined, message: string): void {
    this.#count += 1;
    if (this.#count > MOST) return;
    const place = offset === undefined ? { line: -1, column: -1 } : this.source.locate(offset);
    this.#found.push({ message, ...place });
  }

  /** All, in the order of their places. */
  list(): readonly Issue[] {
    return this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  /** As cel-go prints them: each with its line and a caret below. */
  toString(): string {
    const lines = this.list().map((issue) => this.#render(issue));
    if (this.#count > MOST) lines.push(`${this.#count - MOST} more errors were truncated`);
    return lines.join("\n");
  }

  #render({ message, line, column }: Issue): string {
    const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
    const snippet = this.#snippet(line);
    if (snippet === undefined) return head;
    const { text, dots } = snippet;
    const caret = dots[column] === WIDE_DOT ? "\uff3e" : "^";
    return `${head}\n | ${text}\n | ${dots.slice(0, Math.max(column, 0))}${caret}`;
  }

  /** Made once for a line, which may be long and have many issues. Undefined where cel-go shows none. */
  #snippet(line: number): Snippet | undefined {
    if (!this.#snippets.has(line)) this.#snippets.set(line, snippetOf(this.source.line(line)));
    return this.#snippets.get(line);
  }
}

interface Snippet {
  readonly text: string;
  /** One for each code point. */
  readonly dots: string;
}

function snippetOf(line: string | undefined): Snippet | undefined {
  if (line === undefined || line.length > LONGEST_SNIPPET) return undefined;
  const text = line.replaceAll("\t", " ");
  return { text, dots: Array.from(text, (point) => (isWide(point) ? WIDE_DOT : ".")).join("") };
}

const WIDE_DOT = "\uff0e";

const LONGEST_SNIPPET = 16_384;

function isWide(point: string): boolean {
  return (point.codePointAt(0) ?? 0) > 0x7f;
}
