import { ArrayList, ListValue } from "../../cel/values/list.js";
import { Duration } from "../../cel/values/duration.js";
import { MapValue } from "../../cel/values/map.js";
import { spendSteps } from "../../cel/values/meter.js";
import { Timestamp } from "../../cel/values/timestamp.js";
import { CelValue, Double, equalValues, ErrorValue, Uint, type Value } from "../../cel/values/value.js";
import { escapeName } from "./escape-name.js";
import { StructuralObject } from "./structural-values.js";

/** A list in which the order of what it holds says nothing. Sources: apiserver's common.unstructuredSetList and unstructuredMapList of 1.37. */
abstract class UnorderedList extends ListValue {
  constructor(protected readonly elements: ListValue) {
    super();
  }

  get size(): number {
    return this.elements.size;
  }

  at(index: number): Value {
    return this.elements.at(index);
  }

  override equals(other: Value): boolean {
    return this.isEqualTo(other) === true;
  }
}

const NO_SCALARS = new ErrorValue("listSet operations are only supported on lists of scalar values");

/**
 * x-kubernetes-list-type=set: lists of the same size that hold the same are equal, and `+` adds the elements that are missing. Lists of lists or
 * of objects are no sets.
 */
export class CountingSet extends UnorderedList {
  #keys: ReadonlySet<string> | ErrorValue | undefined;

  override isEqualTo(other: Value): boolean | ErrorValue {
    if (!(other instanceof ListValue) || other.size !== this.size) return false;
    this.#keys ??= scalarKeys(this.toArray());
    if (this.#keys instanceof ErrorValue) return this.#keys;
    const seen = new Set<string>();
    for (const value of other.toArray()) {
      const key = scalarKey(value);
      if (key === undefined) return NO_SCALARS;
      if (!this.#keys.has(key)) return false;
      seen.add(key);
    }
    return seen.size === this.#keys.size;
  }

  override concat(other: ListValue): ListValue | ErrorValue {
    const joined = this.toArray();
    const keys = scalarKeys(joined);
    if (keys instanceof ErrorValue) return keys;
    const seen = new Set(keys);
    for (const value of other.toArray()) {
      const key = scalarKey(value);
      if (key === undefined) return NO_SCALARS;
      if (seen.has(key)) continue;
      seen.add(key);
      joined.push(value);
    }
    return new CountingSet(new ArrayList(joined));
  }
}

function scalarKeys(values: readonly Value[]): ReadonlySet<string> | ErrorValue {
  const keys = new Set<string>();
  for (const value of values) {
    const key = scalarKey(value);
    if (key === undefined) return NO_SCALARS;
    keys.add(key);
  }
  return keys;
}

/** Equal for equal scalars of one type, and for no others; undefined for what is no scalar. */
function scalarKey(value: Value): string | undefined {
  if (typeof value === "string") return `s${value}`;
  if (value instanceof Double) return `d${value.value}`;
  if (value instanceof Uint) return `u${value.value}`;
  if (value instanceof Uint8Array) return `y${Buffer.from(value).toString("base64")}`;
  if (value instanceof Duration) return `n${value.nanoseconds}`;
  if (value instanceof Timestamp) return `t${value.nanoseconds}`;
  return value instanceof CelValue ? undefined : `v${String(value)}`;
}

/** Makes one text of the keys of an item; undefined for an item that has none. */
type KeyOf = (item: Value) => string | undefined;

/**
 * A list with x-kubernetes-list-type=map: two lists are equal if they have the same size and equal items for equal keys; `+`
 * replaces items that have the same keys.
 */
export class CountingMap extends UnorderedList {
  #byKey: ReadonlyMap<string | number, Value> | undefined;

  private constructor(
    elements: ListValue,
    private readonly keyOf: KeyOf,
    private readonly joinedKeyOf: KeyOf,
  ) {
    super(elements);
  }

  /** The list of an object: `==` finds keys in items of objects alone. */
  static of(elements: ListValue, keys: readonly string[]): CountingMap {
    const escaped = keys.map((key) => escapeName(key) ?? key);
    const ofAny: KeyOf = (item) =>
      item instanceof MapValue ? keyText(escaped.map((key) => item.get(key))) : undefined;
    return new CountingMap(elements, (item) => (item instanceof StructuralObject ? ofAny(item) : undefined), ofAny);
  }

  override isEqualTo(other: Value): boolean | ErrorValue {
    if (!(other instanceof ListValue) || other.size !== this.size) return false;
    this.#byKey ??= new Map(this.toArray().map((item, index) => [this.keyOf(item) ?? index, item]));
    const seen = new Set<string>();
    for (const item of other.toArray()) {
      const key = this.keyOf(item);
      const mine = key === undefined ? undefined : this.#byKey.get(key);
      if (key === undefined || mine === undefined || !equalValues(mine, item)) return false;
      seen.add(key);
    }
    return seen.size === this.#byKey.size;
  }

  override concat(other: ListValue): ListValue {
    const joined = this.toArray();
    const places = new Map(joined.map((item, index) => [this.joinedKeyOf(item), index]));
    for (const item of other.toArray()) joined[places.get(this.joinedKeyOf(item)) ?? joined.length] = item;
    // What expressions make has keys too.
    return new CountingMap(new ArrayList(joined), this.joinedKeyOf, this.joinedKeyOf);
  }
}

function keyText(values: readonly (Value | undefined)[]): string {
  spendSteps(values.length);
  return JSON.stringify(values.map((value) => (value === undefined ? null : (scalarKey(value) ?? null))));
}
