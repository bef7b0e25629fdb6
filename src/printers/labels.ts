import type { KubeObject } from "../machinery/meta/object.js";

/** "a=1,b=2" in the order of the keys; "<none>" without any. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return pairs.map(([key, value]) => `${key}=${value}`).join(",") || "<none>";
}

/** The heading of a label column: what follows the last slash. */
export function labelHeading(label: string): string {
  return label.slice(label.lastIndexOf("/") + 1).toUpperCase();
}

/** The cells that -L and --show-labels add. */
export function labelCells(object: KubeObject | undefined, labels: readonly string[], all: boolean): string[] {
  const held = object?.metadata?.labels;
  const cells = labels.map((label) => (held !== undefined && Object.hasOwn(held, label) ? (held[label] ?? "") : ""));
  return all ? [...cells, formatLabels(held)] : cells;
}
