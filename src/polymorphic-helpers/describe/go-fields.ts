import { goSort } from "../../base/collections/go-sort.js";
import { goV } from "../../machinery/text/go/go-values.js";
import { isStruct, list, objects, type OrAbsent, text } from "../../machinery/meta/received.js";
import type { JsonValue } from "../../machinery/meta/json.js";

/** What kubectl prints of a field that its Go type always has: an absent one is the type's zero. */

/** A number, a quantity, a port or a share: as it is on the wire; `otherwise` where it is absent. */
export const scalar = (value: unknown, otherwise = ""): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? `${value}`
    : otherwise;

/** %d, of an int32 or int64. */
export const whole = (value: unknown): string => scalar(value, "0");

/** %v, of a bool. */
export const flag = (value: unknown): string => String(value === true);

/** "True" and "False". */
export const titleFlag = (value: unknown): string => (value === true ? "True" : "False");

/** {@link titleFlag} of a pointer. */
export const titleFlagOr = (value: unknown, otherwise: string): string =>
  value === undefined || value === null ? otherwise : titleFlag(value);

/** %v, of a slice: "[a b]". */
export const slice = (value: unknown): string => goV((value ?? []) as JsonValue);

/** Go's strings.Join, of a list of strings; "" of none. */
export const joined = (value: OrAbsent<readonly OrAbsent<string>[]>, separator: string): string =>
  list(value).map(text).join(separator);

/** %v, of a map: "map[a:b]". */
export const map = (value: unknown): string => goV((value ?? {}) as JsonValue);

/** A map of strings, such as labels. */
export const texts = (value: OrAbsent<Readonly<Record<string, OrAbsent<string>>>>): Readonly<Record<string, string>> =>
  isStruct(value) ? (value as Record<string, string>) : {};

/** Sorted by one of their fields; what is equal ends where Go's sort leaves it. */
export function sortedBy<Item extends object>(
  items: OrAbsent<readonly OrAbsent<Item>[]>,
  key: (item: Partial<Item>) => string,
): readonly Partial<Item>[] {
  const sorted = [...objects(items)];
  goSort(sorted, (a, b) => key(a) < key(b));
  return sorted;
}

export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
