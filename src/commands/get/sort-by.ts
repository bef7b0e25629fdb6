import type { Clock } from "../../base/time/clock.js";
import { ExitError } from "../../cli/errors.js";
import { klogHeader } from "../../machinery/text/klog/klog.js";
import { parseSortKeys, SortKeyError, sortObjects } from "../../printers/sort.js";
import { UnsortableError } from "../../printers/sort-values.js";
import { asTable } from "../../printers/table.js";
import type { Info } from "../../resource/info.js";

export { sortingPrinter } from "../../printers/sort.js";

/** Rejects invalid sort keys of kubets' own before the first request; a path in kubectl's syntax fails where kubectl fails. */
export function checkSortKeys(sortBy: string): void {
  parseSortKeys(sortBy);
}

/**
 * Orders several results among each other, as kubectl does with Tables too; the printer sorts within one Table. With kubets' own
 * keys, Tables stay in the order of their types.
 */
export function ordered(infos: readonly Info[], sortBy: string): readonly Info[] {
  if (infos.length < 2) return infos;
  const tables = infos.every(({ object }) => object !== undefined && asTable(object) !== undefined);
  if (tables && parseSortKeys(sortBy) !== undefined) return infos;
  return sortObjects(infos, sortBy, ({ object }) => object);
}

/** Whether an error is about sorting. kubectl shows these, and drops the other errors of table printers; SortKeyError is kubets' own. */
export function isSortingFault(error: unknown): boolean {
  return error instanceof UnsortableError || error instanceof SortKeyError;
}

/** Turns the error about values without an order into kubectl's exit, with a line in its log. */
export function asEnd(error: unknown, clock: Clock): unknown {
  if (!(error instanceof UnsortableError)) return error;
  const header = klogHeader("F", error.source, new Date(clock.now()), process.pid);
  return new ExitError(1, `${header} ${error.message}`);
}
