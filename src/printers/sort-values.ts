import { withMistyped } from "../base/text/mistyped.js";
import { goTypeName } from "../machinery/text/go/go-values.js";
import type { JsonPath } from "../machinery/text/jsonpath/jsonpath.js";
import { isJsonObject, type JsonValue } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { compareQuantities, parseQuantity, type Quantity, QuantityError } from "../machinery/text/quantity/quantity.js";

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

/** A field to sort by. */
export interface SortField {
  /** As error messages show it. */
  readonly path: string;
  readonly parsed: JsonPath;
  readonly inTable: boolean;
}

/** What an object has in a field. */
export interface SortValue {
  readonly found: boolean;
  readonly value: JsonValue;
  readonly quantity: Quantity | undefined;
}

export function sortValue({ parsed }: SortField, object: KubeObject | undefined): SortValue {
  const [first = []] = parsed.find(object ?? {});
  const value = first[0] ?? null;
  return { found: first.length > 0, value, quantity: quantityOf(value) };
}

/** Those without the field come first. Throws {@link UnsortableError}. */
export function isLess(a: SortValue, b: SortValue, { path, inTable }: SortField): boolean {
  if (!a.found) return true;
  if (!b.found) return false;
  if (a.value === null || b.value === null) return a.value === null && b.value !== null;
  if (a.quantity !== undefined && b.quantity !== undefined) return compareQuantities(a.quantity, b.quantity) < 0;
  const type = goTypeName(a.value);
  if (type !== "string" && type !== "int64" && type !== "float64") {
    throw new UnsortableError(path, inTable, `unsortable type: ${type}`);
  }
  if (type !== goTypeName(b.value)) throw new UnsortableError(path, inTable, "unsortable interface: interface");
  return a.value < b.value;
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

/** The message for a field that no object has. */
export const noSuchField = (path: string): string =>
  `couldn't find any field with path "${path}" in the list of objects`;

/**
 * The same error with the names that the objects do have where the path leads out of them. It suggests the whole path. A path with
 * anything but names and places in lists has no suggestion.
 */
export function withNearFields<E extends Error>(error: E, path: string, objects: readonly unknown[]): E {
  return withMistyped(error, () => {
    const steps = stepsOf(path);
    let below = objects;
    for (const [at, step] of steps.entries()) {
      const next = below.flatMap((value) => childrenAt(value, step));
      if (next.length > 0) {
        below = next;
        continue;
      }
      const whole = (name: string): string => `.${steps.with(at, name).join(".").replaceAll(".[", "[")}`;
      return {
        typed: step,
        known: below.flatMap((value) => (isJsonObject(value) ? Object.keys(value) : [])),
        suggest: whole,
      };
    }
    return { typed: "", known: [] };
  });
}

/** The names of "{.spec.containers[0].name}", and the places in lists in their brackets. */
function stepsOf(path: string): readonly string[] {
  const inner = path.replace(/^\{/, "").replace(/\}$/, "");
  return /['"?(]/.test(inner) ? [] : inner.split(/\.|(?=\[)/).filter((step) => step !== "");
}

function childrenAt(value: unknown, step: string): readonly unknown[] {
  if (step.startsWith("[")) {
    if (!Array.isArray(value)) return [];
    const place = Number(step.slice(1, -1));
    return Number.isInteger(place) ? value.slice(place, place + 1 || undefined) : value;
  }
  return isJsonObject(value) && Object.hasOwn(value, step) ? [value[step]] : [];
}
