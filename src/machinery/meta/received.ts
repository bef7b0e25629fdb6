import { absent, isFields } from "./access.js";
import type { ObjectMeta } from "./object.js";

export { absent } from "./access.js";

/**
 * A value of an API type as it came: any field of any struct may be absent or null, and so may any item of a list. Its fields are
 * those of the type, so that a misspelled one does not compile; the readers below give the empty value for what is not there,
 * and for what has the wrong type, which objects in a store or from another server can have.
 */
export type Received<T> = T extends string | number | bigint | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly (Received<Item> | null)[]
    : T extends object
      ? { readonly [Field in keyof T]?: Received<T[Field]> | null | undefined }
      : T;

/** An object of a kind as received. Its metadata has been decoded as that of every object. */
export type ReceivedObject<T> = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
} & {
  readonly [Field in Exclude<keyof T, "apiVersion" | "kind" | "metadata">]?: Received<T[Field]> | null | undefined;
};

/** An object as JSON gave it, whose fields have the names of those of `T`, so that a misspelled one does not compile, and values of any type. */
export type FieldsOf<T> = { readonly [Field in keyof T]?: unknown };

export type OrAbsent<T> = T | null | undefined;

const NO_FIELDS = Object.freeze({});
const NO_ITEMS = Object.freeze([]);

/** A struct or a map as received; an empty one where it is absent. */
export function object<T extends object>(value: OrAbsent<T>): Partial<T> {
  return isStruct(value) ? value : NO_FIELDS;
}

export function list<Item>(value: OrAbsent<readonly Item[]>): readonly Item[] {
  return Array.isArray(value) ? (value as readonly Item[]) : NO_ITEMS;
}

/** Reads a list of structs. */
export function objects<T extends object>(value: OrAbsent<readonly OrAbsent<T>[]>): readonly Partial<T>[] {
  return list(value).map((item) => object(item));
}

export function text<T extends string>(value: OrAbsent<T>): T | "" {
  return typeof value === "string" ? value : "";
}

/** The text of a quantity, which may be written as a number; "" where it is absent. */
export function quantityText(value: OrAbsent<string | number>): string {
  return typeof value === "number" ? String(value) : text(value);
}

/** A number as received; 0 where it is absent. A bigint is rounded to a number. */
export function number(value: OrAbsent<number | bigint>): number {
  return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : 0;
}

/** Whether a struct or a map is there. */
export function isStruct<T extends object>(value: OrAbsent<T>): value is T {
  return isFields(value);
}

/** A struct whose fields the caller may set. It changes nested structs by way of {@link child} and {@link children}. */
export type Draft<T> = { [Field in keyof T]?: Received<T[Field]> | null | undefined };

/** A draft of an object of a kind, as {@link Draft}; it belongs to the request. */
export type DraftObject<T> = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
} & {
  [Field in Exclude<keyof T, "apiVersion" | "kind" | "metadata">]?: Received<T[Field]> | null | undefined;
};

/** The value of a field, to be changed. */
type DraftOf<Value> = Value extends object ? { -readonly [Field in keyof Value]: Value[Field] } : never;
type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : never;

/** Sets `field` where it is absent. */
export function setDefault<T extends object, Field extends keyof T>(draft: T, field: Field, value: T[Field]): void {
  if (absent(draft[field])) draft[field] = value;
}

/** The nested struct at `field`, which the caller may change; undefined where it is absent. */
export function child<T extends object, Field extends keyof T>(
  draft: T | undefined,
  field: Field,
): DraftOf<T[Field]> | undefined {
  const value = draft?.[field];
  return isDraft(value) ? value : undefined;
}

/** The nested struct at `field`, which is created where it is absent. */
export function ensureChild<T extends object, Field extends keyof T>(draft: T, field: Field): DraftOf<T[Field]> {
  const value = draft[field];
  if (isDraft(value)) return value;
  const made = {} as T[Field] & DraftOf<T[Field]>;
  draft[field] = made;
  return made;
}

/** Returns the structs in the list at `field`, which may be changed. */
export function children<T extends object, Field extends keyof T>(
  draft: T | undefined,
  field: Field,
): DraftOf<ItemOf<T[Field]>>[] {
  const value: unknown = draft?.[field];
  return Array.isArray(value) ? value.filter((item: ItemOf<T[Field]>) => isDraft(item)) : [];
}

function isDraft<Value>(value: Value): value is Value & DraftOf<Value> {
  return isFields(value);
}
