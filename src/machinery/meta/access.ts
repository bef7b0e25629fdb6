/** An object of unknown shape, as JSON gave it. */
export type Fields = { [field: string]: unknown };

export type ReadonlyFields = Readonly<Fields>;

const NO_FIELDS: ReadonlyFields = Object.freeze({});
const NO_ITEMS: readonly unknown[] = Object.freeze([]);

/** Reading what may not be there: a value of the wrong type reads as the empty one. */
export function object(value: unknown): ReadonlyFields {
  return isFields(value) ? value : NO_FIELDS;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ITEMS;
}

/** A list of objects. */
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

/** Absent on the wire: missing or null. */
export function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Changing an object of one's own: sets `field` where it is absent. */
export function setDefault(draft: Fields, field: string, value: unknown): void {
  if (absent(draft[field])) draft[field] = value;
}

/** The object at `field`, to be changed; undefined where there is none. */
export function child(draft: Fields, field: string): Fields | undefined {
  const value = draft[field];
  return isFields(value) ? value : undefined;
}

/** The object at `field`, made where it is absent. */
export function ensureChild(draft: Fields, field: string): Fields {
  const value = draft[field];
  if (isFields(value)) return value;
  const made: Fields = {};
  draft[field] = made;
  return made;
}

/** The objects in the list at `field`, to be changed. */
export function children(draft: Fields, field: string): Fields[] {
  const value = draft[field];
  return Array.isArray(value) ? value.filter(isFields) : [];
}
