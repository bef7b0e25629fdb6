import { JsonPath, relaxedJsonPath } from "../machinery/text/jsonpath/jsonpath.js";
import { JsonPathError } from "../machinery/text/jsonpath/nodes.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { goSort } from "../base/collections/go-sort.js";
import { listItems, type Printer } from "./printer.js";
import { parseSortKeys, sortByKeys } from "./sort-keys.js";
import { isLess, noSuchField, type SortField, sortValue, withNearFields, withoutBrackets } from "./sort-values.js";
import { asTable, fromTable, type Table } from "./table.js";

/**
 * Objects in the order of a field (--sort-by): numbers and text, quantities by what they amount to; those without the field come
 * first. Throws when the path does not parse or no object has the field. Several keys are {@link parseSortKeys}'.
 */
export function sortObjects<T>(items: readonly T[], field: string, objectOf: (item: T) => KubeObject | undefined): T[] {
  const keys = parseSortKeys(field);
  if (keys !== undefined) return sortByKeys(items, keys, false, objectOf);
  const path = relaxed(field);
  const parsed = new JsonPath(path, { allowMissingKeys: true });
  return sortByField(items, { path, parsed, inTable: false }, objectOf);
}

/** The rows of a Table in the order of a field of their objects. */
export function sortTable(table: Table, field: string): Table {
  const keys = parseSortKeys(field);
  if (keys !== undefined) return { ...table, rows: sortByKeys(table.rows, keys, true, ({ object }) => object) };
  const path = relaxedOrAsGiven(field);
  let parsed: JsonPath;
  try {
    parsed = new JsonPath(path, { allowMissingKeys: true });
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw withoutBrackets(new Error(`sorting error: ${error.message}`, { cause: error }), field);
  }
  if (table.rows.length === 0) return table;
  return { ...table, rows: sortByField(table.rows, { path, parsed, inTable: true }, ({ object }) => object) };
}

/** Sorts what it is given to print when that is a list or a Table. */
export function sortingPrinter(inner: Printer, field: string): Printer {
  return {
    print(object, out) {
      const table = asTable(object);
      const items = listItems(object);
      if (table !== undefined && table.rows.length > 1) inner.print(fromTable(sortTable(table, field)), out);
      else if (items !== undefined && items.length > 0) {
        inner.print({ ...object, items: sortObjects(items, field, (item) => item) }, out);
      } else inner.print(object, out);
    },
  };
}

function relaxed(field: string): string {
  try {
    return relaxedJsonPath(field);
  } catch (error) {
    throw error instanceof JsonPathError ? withoutBrackets(error, field) : error;
  }
}

function relaxedOrAsGiven(field: string): string {
  try {
    return relaxedJsonPath(field);
  } catch (error) {
    if (error instanceof JsonPathError) return field;
    throw error;
  }
}

function sortByField<T>(items: readonly T[], field: SortField, objectOf: (item: T) => KubeObject | undefined): T[] {
  const keyed = items.map((item) => ({ item, ...sortValue(field, objectOf(item)) }));
  if (!keyed.some(({ found }) => found)) {
    throw withNearFields(new Error(noSuchField(field.path)), field.path, items.map(objectOf));
  }
  goSort(keyed, (a, b) => isLess(a, b, field));
  return keyed.map(({ item }) => item);
}
