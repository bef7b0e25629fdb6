import { MapValue } from "../../cel/values/map.js";
import { spendSteps } from "../../cel/values/meter.js";
import { CelValue, equalValues, NO_SUCH_OVERLOAD, type Value, Double } from "../../cel/values/value.js";
import { DYN } from "../../cel/types/type.js";
import type { JsonObject, JsonValue } from "../../meta/json.js";
import { isFields } from "../../meta/access.js";
import { escapeName } from "./escape-name.js";
import { ArrayList, ListValue } from "../../cel/values/list.js";

/** Converts a decoded value to a CEL value. */
export type ReadNative = (native: JsonValue) => Value;

/** A field of an object. */
export interface ObjectField {
  /** Its own name. */
  readonly name: string;
  readonly read: ReadNative;
}

/** The fields of objects of a schema. */
export interface ObjectFields {
  /** A field by its own name; undefined for one that the schema does not know. */
  byName(name: string): ObjectField | undefined;
  /** A field by the name that expressions use. */
  byKey(key: string): ObjectField | undefined;
}

/**
 * An object as rules see it, by the names of its fields as expressions write them: a field becomes a value when it is read. A field
 * that is null is not there. Fields that the schema does not know count as entries and are compared, but cannot be read. Source:
 * apiserver's common.unstructuredMap.
 */
export class StructuralObject extends MapValue {
  #size: number | undefined;

  constructor(
    readonly native: JsonObject,
    private readonly fields: ObjectFields,
  ) {
    super();
  }

  get size(): number {
    return (this.#size ??= Object.keys(this.native).length);
  }

  get(key: Value): Value | undefined {
    return typeof key === "string" ? this.#read(this.fields.byKey(key)) : NO_SUCH_OVERLOAD;
  }

  #read(field: ObjectField | undefined): Value | undefined {
    if (field === undefined || !Object.hasOwn(this.native, field.name)) return undefined;
    const held = this.native[field.name];
    return held === undefined || held === null ? undefined : field.read(held);
  }

  *keys(): Iterable<Value> {
    for (const name of Object.keys(this.native)) {
      if (this.fields.byName(name) !== undefined) yield escapeName(name) ?? name;
    }
  }

  override equals(other: Value): boolean {
    if (!(other instanceof MapValue) || other.size !== this.size) return false;
    if (other instanceof StructuralObject && other.native === this.native) return true;
    return Object.keys(this.native).every((name) => {
      spendSteps(1);
      const field = this.fields.byName(name);
      if (field === undefined) return isSameUnknown(this.native, other, name);
      const mine = this.#read(field);
      const theirs = other instanceof StructuralObject ? other.#read(field) : other.get(name);
      if (mine === undefined || theirs === undefined) return mine === theirs;
      return equalValues(mine, theirs);
    });
  }
}

/** A field that the schema does not know makes two objects differ if both have it, and its values differ. */
function isSameUnknown(mine: JsonObject, other: MapValue, name: string): boolean {
  if (!(other instanceof StructuralObject)) return false;
  if (!Object.hasOwn(other.native, name)) return true;
  return isSameNative(mine[name], other.native[name]);
}

/** A map of a schema's additionalProperties, by its keys as they are. */
export class StructuralMap extends MapValue {
  #size: number | undefined;

  constructor(
    readonly native: JsonObject,
    private readonly read: ReadNative,
  ) {
    super();
  }

  get size(): number {
    return (this.#size ??= Object.keys(this.native).length);
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") return NO_SUCH_OVERLOAD;
    const held = Object.hasOwn(this.native, key) ? this.native[key] : undefined;
    return held === undefined ? undefined : this.read(held);
  }

  keys(): Iterable<Value> {
    return Object.keys(this.native);
  }
}

/** A value that a schema preserves without a type: rules can only compare it. */
export class UnknownValue extends CelValue {
  readonly type = DYN;

  constructor(private readonly native: JsonValue) {
    super();
  }

  equals(other: Value): boolean {
    return other instanceof UnknownValue && isSameNative(this.native, other.native);
  }
}

function isSameNative(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  spendSteps(1);
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameNative(item, b[index]));
  }
  if (!isFields(a) || !isFields(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isSameNative(a[name] as JsonValue, b[name] as JsonValue));
}

/** A list in which the order of what it holds says nothing. */
abstract class UnorderedList extends ListValue {
  constructor(private readonly elements: ListValue) {
    super();
  }

  get size(): number {
    return this.elements.size;
  }

  at(index: number): Value {
    return this.elements.at(index);
  }
}

/** x-kubernetes-list-type=set: sets with the same elements are equal, and `+` adds the elements that are missing. */
export class SetList extends UnorderedList {
  #scalars: ReadonlySet<unknown> | undefined;

  override equals(other: Value): boolean {
    if (!(other instanceof ListValue) || other.size !== this.size) return false;
    return other.toArray().every((value) => this.contains(value));
  }

  override contains(value: Value): boolean {
    const key = scalarKey(value);
    if (key === undefined) return super.contains(value);
    spendSteps(1);
    this.#scalars ??= new Set(this.toArray().map(scalarKey));
    return this.#scalars.has(key);
  }

  override concat(other: ListValue): ListValue {
    return new SetList(new ArrayList(withoutRepeats([...this.toArray(), ...other.toArray()])));
  }
}

function withoutRepeats(values: readonly Value[]): readonly Value[] {
  const seen = new Set<unknown>();
  const kept: Value[] = [];
  spendSteps(values.length);
  for (const value of values) {
    const key = scalarKey(value);
    if (key === undefined) {
      spendSteps(kept.length);
      if (kept.some((other) => equalValues(value, other))) continue;
    } else if (seen.has(key)) continue;
    seen.add(key);
    kept.push(value);
  }
  return kept;
}

/** Equal for equal scalars, and for no others. */
function scalarKey(value: Value): unknown {
  if (value instanceof Double) return value.value;
  return typeof value === "object" ? undefined : value;
}

/** A list with x-kubernetes-list-type=map: items with equal keys are compared, and `+` replaces items that have the same keys. */
export class MapList extends UnorderedList {
  #byKey: ReadonlyMap<string, Value> | undefined;

  constructor(
    elements: ListValue,
    private readonly keys: readonly string[],
  ) {
    super(elements);
  }

  override equals(other: Value): boolean {
    if (!(other instanceof ListValue) || other.size !== this.size) return false;
    this.#byKey ??= new Map(this.toArray().map((item) => [this.#keyOf(item), item]));
    for (const item of other.toArray()) {
      const mine = this.#byKey.get(this.#keyOf(item));
      if (mine === undefined || !equalValues(mine, item)) return false;
    }
    return true;
  }

  override concat(other: ListValue): ListValue {
    const joined = this.toArray();
    const places = new Map(joined.map((item, index) => [this.#keyOf(item), index]));
    for (const item of other.toArray()) joined[places.get(this.#keyOf(item)) ?? joined.length] = item;
    return new MapList(new ArrayList(joined), this.keys);
  }

  /** One text for the keys of an item. What is no object of a schema has none of them. */
  #keyOf(item: Value): string {
    const fields: JsonObject = item instanceof StructuralObject ? item.native : {};
    const keys = this.keys.map((key): JsonValue => (Object.hasOwn(fields, key) ? (fields[key] ?? null) : null));
    return JSON.stringify(keys, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  }
}
