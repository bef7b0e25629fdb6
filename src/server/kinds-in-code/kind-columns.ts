import type { ReadonlyFields } from "../../machinery/meta/access.js";
import { columnOf, type PrinterColumn, tableOf } from "../extensions/custom-columns.js";
import type { TableColumns } from "../registry/table-columns.js";
import type { KindColumn } from "./declaration.js";

/** The table of a version: the name, then these columns; the age where there are none. */
export const kindColumns = (columns: readonly KindColumn[]): TableColumns =>
  tableOf(columns.length === 0 ? undefined : columns.map(made));

/** Validates columns. Throws a TypeError for a column without a value; `at` names the version. */
export function checkColumns(columns: readonly KindColumn[], at: string): void {
  for (const column of columns) {
    const { name, jsonPath, cell } = column;
    if ((jsonPath === undefined) === (cell === undefined)) {
      throw new TypeError(`${at}: the column ${name} needs a jsonPath or a cell, and not both`);
    }
    if (jsonPath !== undefined && columnOf(asFields(column)) === undefined) {
      throw new TypeError(`${at}: the jsonPath ${jsonPath} of the column ${name} cannot be parsed`);
    }
  }
}

const asFields = (column: KindColumn): ReadonlyFields => ({ ...column });

function made(column: KindColumn): PrinterColumn {
  const { name, type, format = "", description = "", priority = 0, cell } = column;
  if (cell !== undefined) return { definition: { name, type, format, description, priority }, cell };
  const byPath = columnOf(asFields(column));
  if (byPath === undefined)
    throw new TypeError(`the jsonPath ${column.jsonPath} of the column ${name} cannot be parsed`);
  return byPath;
}
