import { withMistyped } from "../base/text/mistyped.js";
import { goTypeName } from "../machinery/text/go/go-values.js";
import type { JsonPath } from "../machinery/text/jsonpath/jsonpath.js";
import { isJsonObject, type JsonValue } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { compareQuantities, parseQuantity, type Quantity, QuantityError } from "../machinery/text/quantity/quantity.js";

/** Thrown when a sort field holds values without an order. kubectl exits at once and logs it; `source` is the place in that log line. */
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

/** The value of an object's sort field. */
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

/** Whether `a` sorts before `b`. Objects without the field come first. Throws {@link UnsortableError}. */
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

/** Makes the message for a field that no object has. */
export const noSuchField = (path: string): string =>
  `couldn't find any field with path "${path}" in the list of objects`;

/**
 * The same error with the names that the objects do have where the path leads out of them, and below: a name whose path was left out is
 * found there. It suggests the whole path. A path with anything but names and places in lists has no suggestion.
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
      const places = placesBelow(below.slice(0, MOST_VALUES));
      const whole = (name: string): string =>
        `.${[...steps.slice(0, at), places.get(name) ?? name, ...steps.slice(at + 1)].join(".").replaceAll(".[", "[")}`;
      return { typed: step, known: places.keys(), suggest: whole, meant: places.has(step) ? whole(step) : undefined };
    }
    return { typed: "", known: [] };
  });
}

/** The error for a field whose brackets do not close; it suggests the field without them. */
export function withoutBrackets<E extends Error>(error: E, field: string): E {
  const bare = field.replaceAll(/[{}]/g, "");
  const isPath = bare !== field && stepsOf(bare).length > 0;
  return withMistyped(error, () => ({
    typed: field,
    known: [],
    meant: isPath ? (bare.startsWith(".") ? bare : `.${bare}`) : undefined,
  }));
}

/** More values, and more fields of them, are not looked at: objects of a list are alike. */
const MOST_VALUES = 100;
const MOST_FIELDS = 10_000;

/** What a path may hold without quotes. */
const PLAIN_NAME = /^\w[\w-]*$/;

/** The fields in these values and below, each with the shortest path to one of its name: "name" is at "metadata.name". */
function placesBelow(values: readonly unknown[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  let level = values.map((value) => ({ value, path: "" }));
  for (let seen = 0; level.length > 0; ) {
    const next: typeof level = [];
    const found = new Map<string, string>();
    for (const { value, path } of level) {
      if (Array.isArray(value)) {
        if (value.length > 0) next.push({ value: value[0], path: `${path}[0]` });
        continue;
      }
      for (const [name, held] of isJsonObject(value) ? Object.entries(value) : []) {
        if ((seen += 1) > MOST_FIELDS) break;
        if (name === "managedFields" || !PLAIN_NAME.test(name)) continue;
        const place = path === "" ? name : `${path}.${name}`;
        const known = found.get(name);
        if (known === undefined || place.length < known.length) found.set(name, place);
        next.push({ value: held, path: place });
      }
    }
    for (const [name, place] of found) if (!places.has(name)) places.set(name, place);
    level = seen > MOST_FIELDS ? [] : next;
  }
  return places;
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
