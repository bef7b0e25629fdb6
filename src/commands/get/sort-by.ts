import type { Clock } from "../../base/time/clock.js";
import { ExitError } from "../../cli/errors.js";
import { klogHeader } from "../../machinery/text/klog/klog.js";
import { parseSortKeys, SortKeyError, sortObjects } from "../../printers/sort.js";
import { UnsortableError } from "../../printers/sort-values.js";
import { asTable } from "../../printers/table.js";
import type { Info } from "../../resource/info.js";

export { sortingPrinter } from "../../printers/sort.js";

/** Keys of kubets' own are refused before anything is asked; a path of kubectl's fails where it fails there. */
export function checkSortKeys(sortBy: string): void {
  parseSortKeys(sortBy);
}

/**
 * Sorting one Table is its printer's business; several results are put in order among themselves, as kubectl does with Tables too.
 * By kubets' own keys Tables stay in the order of their types.
 */
export function ordered(infos: readonly Info[], sortBy: string): readonly Info[] {
  if (infos.length < 2) return infos;
  const tables = infos.every(({ object }) => object !== undefined && asTable(object) !== undefined);
  if (tables && parseSortKeys(sortBy) !== undefined) return infos;
  return sortObjects(infos, sortBy, ({ object }) => object);
}

/** What kubectl does not drop of what printers of tables complain about, and what it does not know. */
export function isSortingFault(error: unknown): boolean {
  return error instanceof UnsortableError || error instanceof SortKeyError;
}

/** Values without an order end kubectl at once, with a line in its log. */
export function asEnd(error: unknown, clock: Clock): unknown {
  if (!(error instanceof UnsortableError)) return error;
  const header = klogHeader("F", error.source, new Date(clock.now()), process.pid);
  return new ExitError(1, `${header} ${error.message}`);
}
