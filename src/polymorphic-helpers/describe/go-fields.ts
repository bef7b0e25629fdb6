import { goSort } from "../../base/collections/go-sort.js";
import { goV } from "../../machinery/text/go/go-values.js";
import { isStruct, list, objects, type OrAbsent, text } from "../../machinery/meta/received.js";
import type { JsonValue } from "../../machinery/meta/json.js";

/** What kubectl prints of a field that its Go type always has: an absent one is the type's zero. */

/** A number, a quantity, a port or a percentage as it is on the wire; `otherwise` where it is absent. */
export const scalar = (value: unknown, otherwise = ""): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? `${value}`
    : otherwise;

/** Formats an int32 or int64 as Go's %d does. */
export const whole = (value: unknown): string => scalar(value, "0");

/** Formats a bool as Go's %v does. */
export const flag = (value: unknown): string => String(value === true);

/** Formats a bool as "True" or "False". */
export const titleFlag = (value: unknown): string => (value === true ? "True" : "False");

/** {@link titleFlag} for a value that may be absent. */
export const titleFlagOr = (value: unknown, otherwise: string): string =>
  value === undefined || value === null ? otherwise : titleFlag(value);

/** Formats a slice as Go's %v does: "[a b]". */
export const slice = (value: unknown): string => goV((value ?? []) as JsonValue);

/** Go's strings.Join for a list of strings; "" for an empty list. */
export const joined = (value: OrAbsent<readonly OrAbsent<string>[]>, separator: string): string =>
  list(value).map(text).join(separator);

/** Formats a map as Go's %v does: "map[a:b]". */
export const map = (value: unknown): string => goV((value ?? {}) as JsonValue);

/** A map of strings, such as labels. */
export const texts = (value: OrAbsent<Readonly<Record<string, OrAbsent<string>>>>): Readonly<Record<string, string>> =>
  isStruct(value) ? (value as Record<string, string>) : {};

/** Sorts items by one of their fields; equal items end where Go's sort puts them. */
export function sortedBy<Item extends object>(
  items: OrAbsent<readonly OrAbsent<Item>[]>,
  key: (item: Partial<Item>) => string,
): readonly Partial<Item>[] {
  const sorted = [...objects(items)];
  goSort(sorted, (a, b) => key(a) < key(b));
  return sorted;
}

export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
