import { Chalk } from "chalk";
import Table from "cli-table3";

/** The lines of `cluster status`: labels and values in two columns, the state in colour when asked for. */
export function statusLines(rows: readonly (readonly [string, string])[], colour: boolean): readonly string[] {
  const paint = new Chalk({ level: colour ? 1 : 0 });
  const table = new Table({ chars: NO_LINES, style: { "padding-left": 0, "padding-right": 2 } });
  for (const [label, value] of rows) {
    const painted = label !== "State" ? value : value === "Running" ? paint.green(value) : paint.red(value);
    table.push([`${label}:`, painted]);
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
