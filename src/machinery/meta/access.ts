/** An object of unknown shape, as JSON gave it. */
export type Fields = { [field: string]: unknown };

export type ReadonlyFields = Readonly<Fields>;

const NO_FIELDS: ReadonlyFields = Object.freeze({});
const NO_ITEMS: readonly unknown[] = Object.freeze([]);

/** Reads a value as an object: undefined, null and any other type read as the empty object. */
export function object(value: unknown): ReadonlyFields {
  return isFields(value) ? value : NO_FIELDS;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ITEMS;
}

/** Reads a value as a list of objects: anything but a list becomes an empty list, and items that are not objects become empty objects. */
export function objects(value: unknown): readonly ReadonlyFields[] {
  return list(value).map(object);
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function number(value: unknown): number {
  return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : 0;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether a value is absent on the wire: undefined or null. */
export function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Sets `field` of the draft if it is absent. */
export function setDefault(draft: Fields, field: string, value: unknown): void {
  if (absent(draft[field])) draft[field] = value;
}

/** Returns the object at `field`, which the caller may change; undefined where the field is not an object. */
export function child(draft: Fields, field: string): Fields | undefined {
  const value = draft[field];
  return isFields(value) ? value : undefined;
}

/** Returns the object at `field`; puts an empty one in the place of any other value. */
export function ensureChild(draft: Fields, field: string): Fields {
  const value = draft[field];
  if (isFields(value)) return value;
  const made: Fields = {};
  draft[field] = made;
  return made;
}

/** Returns the objects in the list at `field`, which the caller may change. */
export function children(draft: Fields, field: string): Fields[] {
  const value = draft[field];
  return Array.isArray(value) ? value.filter(isFields) : [];
}
