import { isFields } from "../meta/access.js";
import type { JsonValue } from "../meta/json.js";
import { deepEqual } from "../patch/json-values.js";
import { schemaOfField, type StructuralSchema } from "./structural-schema.js";

/**
 * A new value of an update with the old one of the same place: fields are matched by their name, items of a list of type map by
 * their keys. Items of other lists have no place. Errors of what an update does not change are forgiven, and a transition rule's
 * oldSelf is `old`. Children are made once, so that one tree serves validation and rules. Source: apiserver's common.CorrelatedObject.
 */
export class CorrelatedValue {
  #equal: boolean | undefined;
  #fields: Map<string, CorrelatedValue | null> | undefined;
  #items: (CorrelatedValue | null)[] | undefined;
  #oldItems: Map<string, JsonValue> | undefined;

  constructor(
    readonly value: JsonValue,
    readonly old: JsonValue,
    readonly schema: StructuralSchema,
  ) {}

  /** A field of an object; undefined where either object has none, and for one that the schema does not know. */
  field(name: string): CorrelatedValue | undefined {
    const known = this.#fields?.get(name);
    if (known !== undefined) return known ?? undefined;
    const { value, old } = this;
    if (!isFields(value) || !isFields(old)) return undefined;
    const schema = schemaOfField(this.schema, name);
    const both = schema !== undefined && Object.hasOwn(value, name) && Object.hasOwn(old, name);
    const child = both ? new CorrelatedValue(value[name] as JsonValue, old[name] as JsonValue, schema) : null;
    this.#fields ??= new Map();
    this.#fields.set(name, child);
    return child ?? undefined;
  }

  /** The item at `index` of a list of type map; undefined where the old list has none with its keys, and for other lists. */
  item(index: number): CorrelatedValue | undefined {
    const known = this.#items?.[index];
    if (known !== undefined) return known ?? undefined;
    const { value, old, schema } = this;
    if (!Array.isArray(value) || !Array.isArray(old) || index >= value.length || !isMapList(schema)) return undefined;
    const item = value[index] as JsonValue;
    const key = compositeKey(item, schema.listMapKeys);
    const before = key === undefined ? undefined : this.#oldByKey(old).get(key);
    const child =
      before === undefined || schema.items === undefined ? null : new CorrelatedValue(item, before, schema.items);
    this.#items ??= [];
    this.#items[index] = child;
    return child ?? undefined;
  }

  /** Whether nothing changes here. The order of items in lists of type map does not matter. */
  get isEqual(): boolean {
    this.#equal ??= this.#compare();
    return this.#equal;
  }

  #compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value)) {
      if (!Array.isArray(old) || value.length !== old.length) return false;
      if (!isMapList(this.schema) || this.schema.items === undefined) return deepEqual(value, old);
      return value.every((_, index) => this.item(index)?.isEqual === true);
    }
    if (!isFields(value)) return deepEqual(value, old);
    if (!isFields(old)) return false;
    const names = Object.keys(value);
    if (names.length !== Object.keys(old).length) return false;
    return names.every((name) => this.field(name)?.isEqual === true);
  }

  #oldByKey(old: readonly JsonValue[]): ReadonlyMap<string, JsonValue> {
    if (this.#oldItems === undefined) {
      this.#oldItems = new Map();
      for (const item of old) {
        const key = compositeKey(item, this.schema.listMapKeys);
        if (key !== undefined && !this.#oldItems.has(key)) this.#oldItems.set(key, item);
      }
    }
    return this.#oldItems;
  }
}

const isMapList = ({ type, listType, listMapKeys }: StructuralSchema): boolean =>
  type === "array" && listType === "map" && listMapKeys.length > 0;

/** One text for the keys of an item; undefined where one is missing or no scalar. */
function compositeKey(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isFields(item)) return undefined;
  const values: string[] = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined || value === null || typeof value === "object") return undefined;
    values.push(typeof value === "string" ? JSON.stringify(value) : String(value));
  }
  return values.join("\0");
}
