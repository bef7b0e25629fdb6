import Table from "cli-table3";
import { type Look, rowCells } from "../../printers/look.js";

/** The lines of `cluster status`: labels and values in two columns. */
export function statusLines(rows: readonly (readonly [string, string])[], look: Look): readonly string[] {
  const table = new Table({ chars: NO_LINES, style: { "padding-left": 0, "padding-right": 2 } });
  for (const [label, value] of rows) {
    table.push([`${label}:`, ...rowCells(look, [label], [value])]);
  }
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}

/** cli-table3 draws a grid unless every part of it is empty. */
const NO_LINES = Object.fromEntries(
  ["top", "bottom", "left", "right"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat("mid", "mid-mid", "middle")
    .map((part) => [part, ""]),
);
