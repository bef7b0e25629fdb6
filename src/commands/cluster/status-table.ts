import Table from "cli-table3";
import { inertText } from "../../base/text/inert-text.js";
import { headingCells, type Look, rowCells } from "../../printers/look.js";

interface ClusterHealth {
  readonly nodes: { readonly all: number; readonly ready: number };
  readonly pods: { readonly all: number; readonly ready: number; readonly completed: number };
  readonly standIns: {
    readonly containers: number;
    readonly pods: number;
    readonly silentNodes: number;
    readonly webhooks: readonly SkippedWebhook[];
  };
}

interface SkippedWebhook {
  readonly name: string;
  readonly configuration: string;
  readonly service: string;
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

/** The rows of `status` about health: the numbers of nodes and pods, how many are ready, and how many run a stand-in. */
export function healthRows({ nodes, pods, standIns }: ClusterHealth): readonly (readonly [string, string])[] {
  const completed = pods.completed === 0 ? "" : `, ${pods.completed} completed`;
  return [
    ["Nodes", `${nodes.ready}/${nodes.all} ready`],
    ["Pods", `${pods.ready}/${pods.all} ready${completed}`],
    ...(standIns.containers + standIns.silentNodes === 0 ? [] : [["Stand-ins", standInsText(standIns)] as const]),
  ];
}

function standInsText({ containers, pods, webhooks, silentNodes }: ClusterHealth["standIns"]): string {
  return [
    `${counting(containers, "container")} of ${counting(pods, "pod")}`,
    ...(webhooks.length === 0 ? [] : [`${counting(webhooks.length, "webhook")} not called`]),
    ...(silentNodes === 0 ? [] : [`${counting(silentNodes, "node")} did not answer`]),
  ].join("; ");
}

const counting = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** A table of the webhooks that are not called, because pods stand in for them; an empty line comes first. No lines without such webhooks. */
export const webhookLines = (webhooks: readonly SkippedWebhook[], look: Look): readonly string[] =>
  tableLines(
    ["WEBHOOK NOT CALLED", "CONFIGURATION", "SERVICE"],
    webhooks.map(({ name, configuration, service }) => [name, configuration, service]),
    look,
  );

/** How many rows a table shows; a cluster that lacks a node may have a problem for every pod. */
const MOST_ROWS = 20;
const HEADINGS = ["NAMESPACE", "OBJECT", "REASON", "MESSAGE"];

/** A table of the problems after an empty line; no lines without problems. */
export function problemLines(problems: readonly Problem[], look: Look): readonly string[] {
  const rows = problems.map(({ namespace = "<none>", object, reason, message }) => [
    namespace,
    object,
    reason,
    message,
  ]);
  return tableLines(HEADINGS, rows, look);
}

function tableLines(headings: readonly string[], rows: readonly (readonly string[])[], look: Look): readonly string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, MOST_ROWS).map((row) => rowCells(look, headings, row.map(oneLine)));
  const more = rows.length - shown.length;
  return ["", ...inColumns([headingCells(look, headings), ...shown]), ...(more > 0 ? [`... and ${more} more`] : [])];
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
