import { ArrayList, ListValue } from "../../cel/values/list.js";
import { spendSteps } from "../../cel/values/meter.js";
import { Double, equalValues, type Value } from "../../cel/values/value.js";
import type { JsonObject, JsonValue } from "../../meta/json.js";
import { StructuralObject } from "./objects.js";

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

/** x-kubernetes-list-type=map: the items of equal keys are compared, and `+` puts items in the place of those with their keys. */
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
