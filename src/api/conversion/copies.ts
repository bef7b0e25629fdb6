import { absent, type Fields, type ReadonlyFields, isFields, setDefault } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** Returns a copy without some fields; the source itself where it has none of them. */
export function without<T extends ReadonlyFields>(source: T, names: readonly string[]): T {
  if (!names.some((name) => Object.hasOwn(source, name))) return source;
  return Object.fromEntries(Object.entries(source).filter(([name]) => !names.includes(name))) as T;
}

/** Returns a copy without the fields that are null or undefined. */
export function compact(fields: ReadonlyFields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !absent(value)));
}

/** A copy with some fields renamed; the order of fields is kept. */
export function renameFields<T extends ReadonlyFields>(source: T, names: Readonly<Record<string, string>>): T {
  const renamed = Object.entries(source).map(([field, value]): [string, unknown] => [
    (Object.hasOwn(names, field) ? names[field] : undefined) ?? field,
    value,
  ]);
  return Object.fromEntries(renamed) as T;
}

/** Returns a copy in which `change` has replaced the object at `field`; `fields` itself where there is no such object. */
export function withChild<T extends ReadonlyFields>(
  fields: T,
  field: string,
  change: (child: ReadonlyFields) => ReadonlyFields,
): T {
  const child = fields[field];
  return isFields(child) ? { ...fields, [field]: change(child) } : fields;
}

/** Returns a copy in which `change` has replaced the objects in the list at `field`; `fields` itself where there is no list. */
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
 * Returns a copy in which absent numbers are 0: Kubernetes converts by way of an internal type, where they are no pointers.
 * Versioned defaults are set before the conversion, so that this affects only fields without a default.
 */
export function zeroWhereAbsent(fields: ReadonlyFields, names: readonly string[]): ReadonlyFields {
  const filled = { ...fields };
  for (const name of names) setDefault(filled, name, 0);
  return filled;
}

/** Returns a copy without some annotations, and without `metadata.annotations` if none is left; the source itself where it has none of them. */
export function withoutAnnotations(source: KubeObject, names: readonly string[]): KubeObject {
  const annotations = source.metadata?.annotations ?? {};
  if (!names.some((name) => Object.hasOwn(annotations, name))) return source;
  const kept = Object.entries(annotations).filter(([name]) => !names.includes(name));
  const { annotations: _, ...metadata } = source.metadata ?? {};
  return { ...source, metadata: kept.length > 0 ? { ...metadata, annotations: Object.fromEntries(kept) } : metadata };
}

/** Returns a copy with further annotations; the source itself where there are none to add. */
export function withAnnotations(source: KubeObject, added: Readonly<Record<string, string>>): KubeObject {
  if (Object.keys(added).length === 0) return source;
  return { ...source, metadata: { ...source.metadata, annotations: { ...source.metadata?.annotations, ...added } } };
}
