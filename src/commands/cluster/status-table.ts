import Table from "cli-table3";
import { inertText } from "../../base/inert-text.js";
import { headingCells, type Look, rowCells } from "../../printers/look.js";

interface ClusterHealth {
  readonly nodes: { readonly all: number; readonly ready: number };
  readonly pods: { readonly all: number; readonly ready: number; readonly completed: number };
}

interface Problem {
  readonly namespace?: string | undefined;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
}

/** The lines of `cluster status`: labels and values in two columns. */
export function statusLines(rows: readonly (readonly [string, string])[], look: Look): readonly string[] {
  return inColumns(rows.map(([label, value]) => [`${label}:`, ...rowCells(look, [label], [inertText(value)])]));
}

/** How many nodes and pods there are, and how many of them are ready. */
export function healthRows({ nodes, pods }: ClusterHealth): readonly (readonly [string, string])[] {
  const completed = pods.completed === 0 ? "" : `, ${pods.completed} completed`;
  return [
    ["Nodes", `${nodes.ready}/${nodes.all} ready`],
    ["Pods", `${pods.ready}/${pods.all} ready${completed}`],
  ];
}

/** How many problems are shown; a cluster that lacks a node may have one for every pod. */
const MOST_PROBLEMS = 20;
const HEADINGS = ["NAMESPACE", "OBJECT", "REASON", "MESSAGE"];

/** A table of what is wrong, below an empty line; no lines where nothing is. */
export function problemLines(problems: readonly Problem[], look: Look): readonly string[] {
  if (problems.length === 0) return [];
  const rows = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ namespace = "<none>", object, reason, message }) => [namespace, object, reason, message].map(oneLine));
  const more = problems.length - rows.length;
  return [
    "",
    ...inColumns([headingCells(look, HEADINGS), ...rows.map((row) => rowCells(look, HEADINGS, row))]),
    ...(more > 0 ? [`... and ${more} more`] : []),
  ];
}

/** What the cluster says. No word of it acts on a terminal, be it at the end of a pipe. */
const oneLine = (words: string): string => (words === "" ? "<none>" : inertText(words.replaceAll(/\s+/g, " ").trim()));

function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const table = new Table({ chars: NO_LINES, style: { "padding-left": 0, "padding-right": 2 } });
  for (const row of rows) table.push([...row]);
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
