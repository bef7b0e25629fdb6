import { goTypeName } from "../machinery/go-values/go-values.js";
import { JsonPath, relaxedJsonPath } from "../machinery/jsonpath/jsonpath.js";
import { JsonPathError } from "../machinery/jsonpath/jsonpath-error.js";
import type { JsonValue } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { compareQuantities, parseQuantity, type Quantity, QuantityError } from "../machinery/quantity/quantity.js";
import { goSort } from "../base/go-sort.js";
import { listItems, type Printer } from "./printer.js";
import { asTable, fromTable, type Table } from "./table.js";

/**
 * Objects in the order of a field (--sort-by): numbers and text, quantities by what they amount to; those without the field come
 * first. Throws when the path does not parse or no object has the field.
 */
export function sortObjects<T>(items: readonly T[], field: string, objectOf: (item: T) => KubeObject | undefined): T[] {
  const path = relaxedJsonPath(field);
  const parsed = new JsonPath(path, { allowMissingKeys: true });
  return sortByField(items, { path, parsed, inTable: false }, objectOf);
}

/** The rows of a Table in the order of a field of their objects. */
export function sortTable(table: Table, field: string): Table {
  const path = relaxedOrAsGiven(field);
  let parsed: JsonPath;
  try {
    parsed = new JsonPath(path, { allowMissingKeys: true });
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new Error(`sorting error: ${error.message}`, { cause: error });
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

function relaxedOrAsGiven(field: string): string {
  try {
    return relaxedJsonPath(field);
  } catch (error) {
    if (error instanceof JsonPathError) return field;
    throw error;
  }
}

/** The field holds what has no order. kubectl ends at once and logs it; `source` is the place its log line names. */
export class UnsortableError extends Error {
  override readonly name = "UnsortableError";
  readonly source: string;

  constructor(path: string, inTable: boolean, reason: string) {
    const type = inTable ? "[][][]reflect.Value" : "*unstructured.Unstructured";
    super(`Field ${path} in ${type} is an unsortable type: interface, err: ${reason}`);
    this.source = inTable ? "sorter.go:375" : "sorter.go:329";
  }
}

interface Field {
  /** As error messages show it. */
  readonly path: string;
  readonly parsed: JsonPath;
  readonly inTable: boolean;
}

interface Keyed<T> {
  readonly item: T;
  readonly found: boolean;
  readonly value: JsonValue;
  readonly quantity: Quantity | undefined;
}

function sortByField<T>(items: readonly T[], field: Field, objectOf: (item: T) => KubeObject | undefined): T[] {
  const keyed = items.map((item): Keyed<T> => {
    const [first = []] = field.parsed.find(objectOf(item) ?? {});
    const value = first[0] ?? null;
    return { item, found: first.length > 0, value, quantity: quantityOf(value) };
  });
  if (!keyed.some(({ found }) => found)) {
    throw new Error(`couldn't find any field with path "${field.path}" in the list of objects`);
  }
  goSort(keyed, (a, b) => !a.found || (b.found && isLess(a, b, field)));
  return keyed.map(({ item }) => item);
}

function quantityOf(value: JsonValue): Quantity | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return parseQuantity(value);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

function isLess<T>(a: Keyed<T>, b: Keyed<T>, { path, inTable }: Field): boolean {
  if (a.value === null || b.value === null) return a.value === null && b.value !== null;
  if (a.quantity !== undefined && b.quantity !== undefined) return compareQuantities(a.quantity, b.quantity) < 0;
  const type = goTypeName(a.value);
  if (type !== "string" && type !== "int64" && type !== "float64") {
    throw new UnsortableError(path, inTable, `unsortable type: ${type}`);
  }
  if (type !== goTypeName(b.value)) throw new UnsortableError(path, inTable, "unsortable interface: interface");
  return a.value < b.value;
}
