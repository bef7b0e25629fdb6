import { isFields, type ReadonlyFields, setDefault } from "../../machinery/meta/access.js";

/** A copy with another object at `field`, made of the one that is there; `fields` itself where there is none. */
export function withChild<T extends ReadonlyFields>(
  fields: T,
  field: string,
  change: (child: ReadonlyFields) => ReadonlyFields,
): T {
  const child = fields[field];
  return isFields(child) ? { ...fields, [field]: change(child) } : fields;
}

/** A copy with the objects in the list at `field` changed; `fields` itself where there is no list. */
export function withChildren<T extends ReadonlyFields>(
  fields: T,
  field: string,
  change: (child: ReadonlyFields) => ReadonlyFields,
): T {
  const items: unknown = fields[field];
  if (!Array.isArray(items)) return fields;
  return { ...fields, [field]: items.map((item: unknown) => (isFields(item) ? change(item) : item)) };
}

/**
 * A copy where these numbers are 0 if they were absent: Kubernetes converts by way of an internal type, in which they
 * are no pointers. Versioned defaults come before a conversion, so that it is seen only of what they leave alone.
 */
export function zeroWhereAbsent(fields: ReadonlyFields, names: readonly string[]): ReadonlyFields {
  const filled = { ...fields };
  for (const name of names) setDefault(filled, name, 0);
  return filled;
}
