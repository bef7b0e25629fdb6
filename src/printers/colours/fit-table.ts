import { largest } from "../../base/collections/append.js";
import type { TableLayout } from "../look.js";
import { cutToWidth, displayWidth, endedBy } from "./display-width.js";

/** What is left of a cell that is cut, the ellipsis included. */
const LEAST = 4;

/**
 * Cuts a table to the width of a terminal. Headings are cut first, down to what stands below them, then the widest cells, all to one width.
 * Names are never cut. Where that is not enough, each row ends at the edge, and an ellipsis stands for the columns that have no
 * room; a row is wider than the terminal only as far as its names are. No column becomes narrower than earlier rows have made it.
 */
export function fitRows(rows: readonly string[][], layout: TableLayout, ellipsis: string): readonly string[][] {
  const { width, names, heading } = layout;
  const isRow = (row: readonly string[]): boolean => row.length === names.length;
  const natural = widest(rows.filter(isRow), names.length);
  if (totalWidth(natural, layout) <= width) return rows;
  const values = widest(
    rows.filter((row, at) => isRow(row) && at !== heading),
    names.length,
  );
  const withShortHeadings = lowered(natural, floors(natural, values, layout), layout);
  const widths = lowered(withShortHeadings, floors(withShortHeadings, [], layout), layout);
  const cut = (row: readonly string[]): string[] =>
    row.map((cell, column) => (names[column] === true ? cell : cutToWidth(cell, widths[column] ?? 0, ellipsis)));
  const toEdge = endingAtEdge(widths, layout, ellipsis);
  return rows.map((row) => (isRow(row) ? toEdge(row, cut(row)) : row));
}

function widest(rows: readonly (readonly string[])[], columns: number): readonly number[] {
  const widths = Array.from({ length: columns }, () => 0);
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  return widths;
}

/** How narrow each column may become: as wide as `wanted`, and {@link LEAST}; a name stays, and so does what has been taken. */
function floors(widths: readonly number[], wanted: readonly number[], layout: TableLayout): readonly number[] {
  const { names, taken, padding } = layout;
  return widths.map((width, column) => {
    if (names[column] === true) return width;
    return Math.min(width, Math.max(wanted[column] ?? 0, LEAST, (taken[column] ?? 0) - padding));
  });
}

/** Lowers the widest columns to one width, the greatest with which rows fit; none below its floor. */
function lowered(widths: readonly number[], floor: readonly number[], layout: TableLayout): readonly number[] {
  const cappedAt = (cap: number): readonly number[] =>
    widths.map((width, column) => Math.max(floor[column] ?? 0, Math.min(width, cap)));
  let low = 0;
  let high = largest(widths);
  while (low < high) {
    const cap = Math.ceil((low + high) / 2);
    if (totalWidth(cappedAt(cap), layout) <= layout.width) low = cap;
    else high = cap - 1;
  }
  return cappedAt(low);
}

const totalWidth = (widths: readonly number[], layout: TableLayout): number => startsOf(widths, layout).at(-1) ?? 0;

/** Where each column begins, and where the last one ends, which has no padding. */
function startsOf(widths: readonly number[], { minWidth, padding, taken }: TableLayout): readonly number[] {
  const starts = [0];
  for (const [column, width] of widths.entries()) {
    const isLast = column === widths.length - 1;
    const room = isLast ? width : Math.max(minWidth, width + padding, taken[column] ?? 0);
    starts.push((starts[column] ?? 0) + room);
  }
  return starts;
}

/** Ends rows, whose cells have been cut to these widths, at the edge of the terminal where they are still too wide. */
function endingAtEdge(
  widths: readonly number[],
  layout: TableLayout,
  ellipsis: string,
): (row: readonly string[], cut: string[]) => string[] {
  const { width, names } = layout;
  const starts = startsOf(widths, layout);
  const lastName = names.lastIndexOf(true);
  if ((starts.at(-1) ?? 0) <= width || lastName === names.length - 1) return (_row, cut) => cut;
  let edge = names.length - 1;
  while (edge > lastName && (starts[edge] ?? 0) + ellipsis.length > width) edge -= 1;
  const room = width - (starts[edge] ?? 0);
  return (row, cut) => {
    const shown = cut.slice(0, edge);
    const cell = row[edge] ?? "";
    if (edge === lastName) return [...shown, `${cell} ${ellipsis}`];
    return [...shown, edge === names.length - 1 ? cutToWidth(cell, room, ellipsis) : endedBy(ellipsis, cell, room)];
  };
}
