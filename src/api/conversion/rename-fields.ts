import type { ReadonlyFields } from "../../machinery/meta/access.js";

/** A copy with some fields renamed; the order of fields is kept. */
export function renameFields<T extends ReadonlyFields>(source: T, names: Readonly<Record<string, string>>): T {
  const renamed = Object.entries(source).map(([field, value]): [string, unknown] => [
    (Object.hasOwn(names, field) ? names[field] : undefined) ?? field,
    value,
  ]);
  return Object.fromEntries(renamed) as T;
}
