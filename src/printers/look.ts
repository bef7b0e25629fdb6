/**
 * How an output shows text: plain, or as fits a user's terminal. With the empty look, {@link plainLook}, printers write exactly
 * kubectl's bytes.
 */
export interface Look {
  /** How many columns a text takes, colour codes left out. Default: code points, which kubectl counts. */
  readonly measure?: ((text: string) => number) | undefined;
  /** Set where colours are wanted. */
  readonly paint?: Paint | undefined;
  /** Set where tables are cut to the width of a terminal. */
  readonly fit?: TableFit | undefined;
  /** What stands where a line is cut. Default: "…". */
  readonly ellipsis?: string | undefined;
}

/** Adds colour codes to parts of a text, and changes nothing else. */
export interface Paint {
  readonly heading: (text: string) => string;
  /** A name in front of what it means: of a field, a flag, a command. */
  readonly key: (text: string) => string;
  /** The type of a field. */
  readonly type: (text: string) => string;
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
  /** The parts of a line of a log that are coloured, from left to right; `line` is its beginning, a character for each byte. */
  readonly log: (line: string) => readonly PaintedPart[];
  readonly error: (text: string) => string;
  readonly muted: (text: string) => string;
  /** What is in use among others. */
  readonly current: (text: string) => string;
}

/** A part of a text, and the function that colours it. */
export interface PaintedPart {
  /** Where it begins. */
  readonly start: number;
  /** Where what follows begins. */
  readonly end: number;
  readonly paint: (text: string) => string;
}

/** Cuts the rows of tables to a terminal. */
export interface TableFit {
  /** The terminal's columns now; undefined where they are not known. */
  readonly width: () => number | undefined;
  /** The rows with cells cut, and with fewer cells where not all have room. */
  readonly rows: (rows: readonly string[][], layout: TableLayout) => readonly string[][];
}

/** The properties of a table's columns. */
export interface TableColumns {
  /** Whether each holds names, which are never cut. */
  readonly names: readonly boolean[];
  /** The next row is the headings. */
  readonly headed: boolean;
}

export interface TableLayout {
  /** The terminal's columns. */
  readonly width: number;
  /** As in {@link TableColumns}. Rows with another number of cells belong to no table, and stay as they are. */
  readonly names: readonly boolean[];
  /** Which row is the headings, if they are among the rows. */
  readonly heading: number | undefined;
  /** The widths of columns, padding included, which earlier rows have given the table. */
  readonly taken: readonly number[];
  /** Of a column with its padding. */
  readonly minWidth: number;
  /** Behind the widest cell of each column but the last. */
  readonly padding: number;
}

/** The length of a text in code points, which Go's writers count. */
export function codePoints(text: string): number {
  let length = text.length;
  for (const pair of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) length -= pair[0].length - 1;
  return length;
}

export const plainLook: Look = {};

const same = (text: string): string => text;

/** The colours that help and explanations use. */
export type TextPaint = Pick<Paint, "heading" | "key" | "type" | "muted" | "yaml">;

/** Adds no colours. */
export const unpainted: TextPaint = {
  heading: same,
  key: same,
  type: same,
  muted: same,
  yaml: same,
};

/** Formats the headings of a table in the colours of the look. */
export function headingCells({ paint }: Look, headings: readonly string[]): readonly string[] {
  return paint === undefined ? headings : headings.map(paint.heading);
}

/** Colours the cells of a row, in a table with these headings. */
export function rowCells({ paint }: Look, headings: readonly string[], cells: readonly string[]): readonly string[] {
  return paint === undefined ? cells : cells.map((cell, index) => paint.cell(headings[index] ?? "", cell));
}

/** The headings of what is called something: objects, and what they are in. */
const NAMES: ReadonlySet<string> = new Set(["NAME", "NAMESPACE", "OBJECT", "POD"]);

/** Derives the properties of columns from their headings. */
export function tableColumns(headings: readonly string[], headed: boolean): TableColumns {
  return { names: headings.map((heading) => NAMES.has(heading)), headed };
}
