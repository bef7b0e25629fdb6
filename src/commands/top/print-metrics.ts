import { quantityValue } from "../../machinery/text/quantity/quantity.js";
import type { Quantity } from "../../machinery/text/quantity/quantity.js";
import { headingCells, type Look, rowCells, tableColumns } from "../../printers/look.js";
import type { Output } from "../../printers/printer.js";
import { type Measured, type MeasuredPod, quantityOf, type SortBy, sorted, sumOf, type Usage } from "./metrics.js";

export interface MetricsPrintOptions {
  readonly showSwap: boolean;
  readonly noHeaders: boolean;
  readonly sortBy: SortBy;
  readonly look: Look;
}

const UNKNOWN = "<unknown>";

const NODE_COLUMNS = ["CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"];

/** Every cell is ended by a tab, the last of a line too. */
const line = (cells: readonly string[]): string => `${cells.map((cell) => `${cell}\t`).join("")}\n`;
/** An empty cell stands behind the last tab. */
const columnsOf = (headings: readonly string[], headed: boolean) => tableColumns([...headings, ""], headed);

const measuredResources = (showSwap: boolean): readonly string[] => ["cpu", "memory", ...(showSwap ? ["swap"] : [])];

/** Prints a table of what nodes use, in amounts and as a share of `available`. A node in `withoutSwap` shows <unknown> for swap. */
export function printNodes(
  nodes: readonly Measured[],
  available: ReadonlyMap<string, Usage>,
  withoutSwap: ReadonlySet<string>,
  { showSwap, noHeaders, sortBy, look }: MetricsPrintOptions,
  out: Output,
): void {
  const resources = measuredResources(showSwap);
  const headings = ["NAME", ...NODE_COLUMNS, ...(showSwap ? ["SWAP(bytes)", "SWAP(%)"] : [])];
  out.table?.(columnsOf(headings, !noHeaders));
  const row = (cells: readonly string[]): void => out(line(rowCells(look, headings, cells)));
  if (!noHeaders) out(line(headingCells(look, headings)));
  const missing = new Set(available.keys());
  for (const { name, usage } of sorted(nodes, sortBy)) {
    const has = missing.has(name) ? available.get(name) : undefined;
    missing.delete(name);
    const cells = resources.flatMap((resource) =>
      resource === "swap" && withoutSwap.has(name) ? [UNKNOWN, UNKNOWN] : usageCells(resource, usage, has),
    );
    row([name, ...cells]);
  }
  for (const name of missing) row([name, ...resources.flatMap(() => [UNKNOWN, UNKNOWN])]);
}

function usageCells(resource: string, usage: Usage, available: Usage | undefined): readonly string[] {
  const used = quantityOf(usage, resource);
  const all = available?.[resource];
  return all === undefined ? [amount(resource, used)] : [amount(resource, used), percentage(used, all)];
}

function amount(resource: string, quantity: Quantity): string {
  if (resource === "cpu") return `${quantityValue(quantity, -3)}m`;
  return `${quantityValue(quantity) / (1024n * 1024n)}Mi`;
}

function percentage(used: Quantity, all: Quantity): string {
  const [part, whole] = [Number(quantityValue(used, -3)), Number(quantityValue(all, -3))];
  return `${whole === 0 ? 0 : Math.trunc((part / whole) * 100)}%`;
}

export interface PodMetricsPrintOptions extends MetricsPrintOptions {
  readonly containers: boolean;
  readonly withNamespace: boolean;
  readonly sum: boolean;
}

/** Prints a table of what pods, or their containers, use. */
export function printPods(pods: readonly MeasuredPod[], options: PodMetricsPrintOptions, out: Output): void {
  if (pods.length === 0) return;
  const { containers, withNamespace, noHeaders, showSwap, sortBy, sum, look } = options;
  const resources = measuredResources(showSwap);
  const names = [...(withNamespace ? ["NAMESPACE"] : []), ...(containers ? ["POD"] : [])];
  const columns = ["NAME", "CPU(cores)", "MEMORY(bytes)", ...(showSwap ? ["SWAP(bytes)"] : [])];
  const headings = [...names, ...columns];
  out.table?.(columnsOf(headings, !noHeaders));
  if (!noHeaders) out(line(headingCells(look, headings)));
  const amounts = (usage: Usage): readonly string[] => resources.flatMap((one) => usageCells(one, usage, undefined));
  for (const pod of sorted(pods, sortBy, withNamespace)) {
    const namespace = withNamespace ? [pod.namespace] : [];
    if (containers) {
      for (const one of sorted(pod.containers, sortBy))
        out(line([...namespace, pod.name, one.name, ...amounts(one.usage)]));
    } else out(line([...namespace, pod.name, ...amounts(pod.usage)]));
  }
  if (!sum) return;
  // Without headings kubectl does not count the columns before the name.
  const width = columns.length + (noHeaders ? 0 : names.length);
  const blank = (count: number): readonly string[] => Array.from({ length: Math.max(0, count) }, () => "");
  out(line([...blank(width - 2), "________", "________"]));
  out(line([...blank(width - 3), "", ...amounts(sumOf(pods))]));
}
