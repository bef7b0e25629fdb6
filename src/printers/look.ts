/**
 * How text is shown where it goes: plain, or as suits the terminal of a person. Printers take one, and with an empty one,
 * {@link plainLook}, write the bytes kubectl writes.
 */
export interface Look {
  /** How many columns a text takes, colour codes left out. Default: code points, which kubectl counts. */
  readonly measure?: ((text: string) => number) | undefined;
  /** Set where colours are wanted. */
  readonly paint?: Paint | undefined;
}

/** Puts colour codes around parts of a text, and changes nothing else in it. */
export interface Paint {
  readonly heading: (text: string) => string;
  /** A cell below the heading `column`. */
  readonly cell: (column: string, text: string) => string;
  /** Whole lines of a document. */
  readonly yaml: (text: string) => string;
  readonly json: (text: string) => string;
  readonly kyaml: (text: string) => string;
  readonly description: (text: string) => string;
  readonly diff: (text: string) => string;
  /** What a line of a log begins with; the texts of one pod look alike, those of others do not. */
  readonly source: (pod: string, text: string) => string;
  readonly error: (text: string) => string;
  readonly muted: (text: string) => string;
  /** What is in use among others. */
  readonly current: (text: string) => string;
}

/** In code points, as Go's writers count. */
export function codePoints(text: string): number {
  let length = text.length;
  for (const pair of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) length -= pair[0].length - 1;
  return length;
}

export const plainLook: Look = {};

/** The headings of a table, as the look has them. */
export function headingCells({ paint }: Look, headings: readonly string[]): readonly string[] {
  return paint === undefined ? headings : headings.map(paint.heading);
}

/** A row of a table whose columns have these headings. */
export function rowCells({ paint }: Look, headings: readonly string[], cells: readonly string[]): readonly string[] {
  return paint === undefined ? cells : cells.map((cell, index) => paint.cell(headings[index] ?? "", cell));
}
