import { JsonPath, relaxedJsonPath } from "../machinery/text/jsonpath/jsonpath.js";
import { JsonPathError } from "../machinery/text/jsonpath/nodes.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { goSort } from "../base/collections/go-sort.js";
import { listItems, type Printer } from "./printer.js";
import {
  isLess,
  noSuchField,
  type SortField,
  sortValue,
  withNearFields,
  withoutBrackets,
  type SortValue,
} from "./sort-values.js";
import { asTable, fromTable, type Table } from "./table.js";
import { errorMessage } from "../base/text/error-message.js";

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

/** Sorts the rows of a Table by a field of their objects. */
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

/** Wraps a printer so that it sorts lists and Tables before it prints them. */
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

/** A sort key of kubets' own: one of several keys of --sort-by, or a descending one. */
export interface SortKey {
  /** As JSONPath, in braces. */
  readonly path: string;
  readonly descending: boolean;
}

/** Thrown for a sort key that cannot be parsed, or that no object has. */
export class SortKeyError extends Error {
  override readonly name = "SortKeyError";
}

/**
 * The keys of "namespace,-name": paths without braces parted by commas, each descending after a minus. Undefined for what means
 * something to kubectl, which is one ascending path: it reads neither a comma nor a leading minus outside of braces.
 * Throws {@link SortKeyError}.
 */
export function parseSortKeys(text: string): readonly SortKey[] | undefined {
  if (/[{}]/.test(text)) return undefined;
  const parts = splitAtCommas(text);
  if (parts === undefined || (parts.length === 1 && !text.trimStart().startsWith("-"))) return undefined;
  return parts.map((part) => {
    const trimmed = part.trim();
    const descending = trimmed.startsWith("-");
    const path = descending ? trimmed.slice(1) : trimmed;
    if (path === "") throw new SortKeyError(`--sort-by=${text}: a key is missing`);
    return { path: readablePath(path), descending };
  });
}

function readablePath(path: string): string {
  try {
    const relaxed = relaxedJsonPath(path);
    new JsonPath(relaxed);
    return relaxed;
  } catch (error) {
    throw new SortKeyError(`--sort-by: ${path}: ${errorMessage(error)}`);
  }
}

/** Outside of brackets and quotes; undefined where those do not close. */
function splitAtCommas(text: string): readonly string[] | undefined {
  const parts = [""];
  let depth = 0;
  for (const [piece] of text.matchAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^]/g)) {
    if (piece === "'" || piece === '"') return undefined;
    if (piece === "[" || piece === "(") depth += 1;
    if (piece === "]" || piece === ")") depth -= 1;
    if (piece === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return depth === 0 ? parts : undefined;
}

/**
 * In the order of the first key, of the next where that is equal, and as they came where all are. Objects without a key come
 * first, last where it descends. Throws {@link SortKeyError} for a key that none has.
 */
function sortByKeys<T>(
  items: readonly T[],
  keys: readonly SortKey[],
  inTable: boolean,
  objectOf: (item: T) => KubeObject | undefined,
): T[] {
  const fields = keys.map(({ path }): SortField => {
    return { path, inTable, parsed: new JsonPath(path, { allowMissingKeys: true }) };
  });
  const rows = items.map((item) => ({ item, values: fields.map((field) => sortValue(field, objectOf(item))) }));
  for (const [at, { path }] of fields.entries()) {
    if (rows.every(({ values }) => values[at]?.found !== true)) {
      throw withNearFields(new SortKeyError(noSuchField(path)), path, items.map(objectOf));
    }
  }
  const compare = (a: readonly SortValue[], b: readonly SortValue[]): number => {
    for (const [at, field] of fields.entries()) {
      const order = compareValues(a[at], b[at], field);
      if (order !== 0) return keys[at]?.descending === true ? -order : order;
    }
    return 0;
  };
  return rows.sort((a, b) => compare(a.values, b.values)).map(({ item }) => item);
}

function compareValues(a: SortValue | undefined, b: SortValue | undefined, field: SortField): number {
  if (a?.found !== true || b?.found !== true) return Number(a?.found === true) - Number(b?.found === true);
  if (isLess(a, b, field)) return -1;
  return isLess(b, a, field) ? 1 : 0;
}
