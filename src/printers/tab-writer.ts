import { codePoints, type TableColumns, type TableFit } from "./look.js";
import type { Output } from "./printer.js";

/** The rules for the widths of columns. */
export interface ColumnWidths {
  readonly minWidth: number;
  readonly padding: number;
  /** A column is never narrower than it was before a flush. */
  readonly remembers: boolean;
  /** How much room a text takes; Go's writers count code points. */
  readonly measure?: ((text: string) => number) | undefined;
  /** Cuts the rows of tables that are announced, where they go to a terminal. */
  readonly fit?: TableFit | undefined;
}

const TABLE: ColumnWidths = { minWidth: 6, padding: 3, remembers: true };
/** The column widths of kubectl's descriptions, which Go's own writer aligns. */
export const DESCRIPTION: ColumnWidths = { minWidth: 0, padding: 2, remembers: false };

/** One line's cells: all but the last were ended by a tab. */
type Line = string[];

/**
 * Aligns tab-separated cells as kubectl's tab writer does: a column is a run of lines that have a tab-ended cell there;
 * it is as wide as its widest cell and three spaces, six at least, unless `shape` says otherwise. Text is held back until {@link flush}, except that a
 * line without a tab lets go of what came before it. The widths of earlier flushes are kept as minima until
 * {@link forgetWidths}.
 */
export class TabWriter {
  readonly #out: (text: string) => void;
  #lines: Line[] = [[""]];
  #widths: number[] = [];
  #remembered: number[] = [];
  #pieces: string[] = [];
  /** Of the table that is being written, whether each column holds names; none before one is announced. */
  #names: readonly boolean[] = [];
  /** The line of headings among those that are held back. */
  #heading: number | undefined;
  /** The terminal's columns when rows were cut to them last. */
  #fittedTo: number | undefined;

  readonly #shape: ColumnWidths;
  readonly #measure: (text: string) => number;

  constructor(out: (text: string) => void, shape: Partial<ColumnWidths> = {}) {
    this.#out = out;
    this.#shape = { ...TABLE, ...shape };
    this.#measure = shape.measure ?? codePoints;
  }

  /** Bound, so that it can be handed to a printer as its output. */
  readonly write: Output = Object.assign((text: string): void => this.#take(text), {
    table: (columns: TableColumns): void => {
      this.#names = columns.names;
      if (columns.headed) this.#heading = this.#lines.length - 1;
    },
  });

  flush(): void {
    this.#fitTable();
    this.#format(0, this.#lines.length);
    this.#lines = [[""]];
    this.#heading = undefined;
    const text = this.#pieces.join("");
    this.#pieces = [];
    if (text !== "") this.#out(text);
  }

  forgetWidths(): void {
    this.#remembered = [];
  }

  /** In rows that are written after the terminal has been resized, columns have the widths that suit it now. */
  #fitTable(): void {
    const { fit, minWidth, padding } = this.#shape;
    const width = fit?.width();
    if (fit === undefined || width === undefined || this.#names.length === 0) return;
    if (width !== this.#fittedTo) this.forgetWidths();
    this.#fittedTo = width;
    const layout = { width, names: this.#names, heading: this.#heading, taken: this.#remembered, minWidth, padding };
    this.#lines = [...fit.rows(this.#lines, layout)];
  }

  #take(text: string): void {
    for (const part of text.split(/([\t\v\n\f])/)) {
      if (part === "\t" || part === "\v") this.#lastLine().push("");
      else if (part === "\n" || part === "\f") this.#endLine(part === "\f");
      else if (part !== "") this.#append(part);
    }
  }

  #lastLine(): Line {
    return this.#lines.at(-1) ?? [];
  }

  #append(text: string): void {
    const line = this.#lastLine();
    line[line.length - 1] += text;
  }

  #endLine(force: boolean): void {
    const alone = this.#lastLine().length === 1;
    this.#lines.push([""]);
    if (force || alone) this.flush();
  }

  /** Prints the lines [from, to), whose first columns have the widths settled so far. */
  #format(from: number, to: number): void {
    const column = this.#widths.length;
    let unwritten = from;
    for (let at = from; at < to; at += 1) {
      if (column >= this.#cells(at) - 1) continue;
      this.#writeLines(unwritten, at);
      let width = this.#shape.minWidth;
      let end = at;
      for (; end < to && column < this.#cells(end) - 1; end += 1) {
        width = Math.max(width, this.#measure(this.#lines[end]?.[column] ?? "") + this.#shape.padding);
      }
      this.#widths.push(this.#remember(width));
      this.#format(at, end);
      this.#widths.pop();
      unwritten = end;
      at = end - 1;
    }
    this.#writeLines(unwritten, to);
  }

  #remember(width: number): number {
    const column = this.#widths.length;
    if (!this.#shape.remembers) return width;
    const kept = Math.max(width, this.#remembered[column] ?? 0);
    for (let at = this.#remembered.length; at < column; at += 1) this.#remembered[at] = this.#widths[at] ?? 0;
    this.#remembered[column] = kept;
    return kept;
  }

  #cells(line: number): number {
    return this.#lines[line]?.length ?? 0;
  }

  #writeLines(from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const line = this.#lines[at] ?? [];
      for (const [column, cell] of line.entries()) {
        const width = this.#widths[column];
        this.#pieces.push(cell);
        if (width !== undefined && column < line.length) {
          this.#pieces.push(" ".repeat(Math.max(0, width - this.#measure(cell))));
        }
      }
      // The last line is what has not been ended yet.
      if (at + 1 < this.#lines.length) this.#pieces.push("\n");
    }
  }
}
