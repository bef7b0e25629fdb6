import { MAP_OF_DYN } from "../types/type.js";
import { spendSteps } from "./meter.js";
import { CelValue, Double, ErrorValue, equalValues, isNumeric, Uint, type Value, intOf } from "./value.js";

/** A CEL map. Keys are bools, ints, uints and strings; numbers with the same value are the same key, whatever their types. */
export abstract class MapValue extends CelValue {
  readonly type = MAP_OF_DYN;

  abstract override get size(): number;

  /** The value of a key; undefined: there is no such key. */
  abstract get(key: Value): Value | undefined;

  abstract keys(): Iterable<Value>;

  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }

  equals(other: Value): boolean {
    if (!(other instanceof MapValue) || other.size !== this.size) return false;
    for (const key of this.keys()) {
      spendSteps(2);
      const theirs = other.get(key);
      if (theirs === undefined || !equalValues(this.get(key) as Value, theirs)) return false;
    }
    return true;
  }
}

/** What JavaScript's Map can look a key up by; undefined: it can be no key. Bools and strings never meet numbers there. */
function lookupKey(key: Value): string | number | bigint | boolean | undefined {
  if (typeof key !== "object") return key;
  if (key instanceof Uint) return intOf(key.value);
  return key instanceof Double && Number.isInteger(key.value) ? intOf(BigInt(key.value)) : undefined;
}

/** A map whose entries are CEL values. */
export class EntryMap extends MapValue {
  readonly #entries = new Map<string | number | bigint | boolean, { readonly key: Value; readonly value: Value }>();

  static of(entries: Iterable<readonly [Value, Value]>): EntryMap {
    const map = new EntryMap();
    for (const [key, value] of entries) map.insert(key, value);
    return map;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    const found = lookupKey(key);
    return found === undefined ? undefined : this.#entries.get(found)?.value;
  }

  *keys(): Iterable<Value> {
    for (const { key } of this.#entries.values()) yield key;
  }

  /** Adds an entry, for the maker of the map alone; answers the error of a key that is there already or can be none. */
  insert(key: Value, value: Value): ErrorValue | undefined {
    const found = key instanceof Double ? undefined : lookupKey(key);
    if (found === undefined) return new ErrorValue("unsupported key type");
    if (this.#entries.has(found)) return new ErrorValue(`Failed with repeated key`);
    this.#entries.set(found, { key, value });
    return undefined;
  }

  /** Makes the map, as a set, hold a key too, which may be there already. */
  add(key: Value): void {
    const found = lookupKey(key);
    if (found !== undefined) this.#entries.set(found, { key, value: true });
  }
}

/** The map that a comprehension (transformMap) builds. It grows in place while the comprehension alone can see it. */
export class GrowingMap extends EntryMap {}

/** A map over a JSON object: a value is converted when it is read. */
export class NativeMap extends MapValue {
  readonly native: Readonly<Record<string, unknown>>;
  readonly #toValue: (native: unknown) => Value;
  #keys: readonly string[] | undefined;
  /** The list, map or object that was read last: a loop reads the same one in each turn. */
  #last: { readonly key: string; readonly value: Value } | undefined;

  constructor(native: Readonly<Record<string, unknown>>, toValue: (native: unknown) => Value) {
    super();
    this.native = native;
    this.#toValue = toValue;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    if (this.#last?.key === key) return this.#last.value;
    const native = Object.hasOwn(this.native, key) ? this.native[key] : undefined;
    if (native === undefined) return undefined;
    const value = this.#toValue(native);
    if (value instanceof CelValue) this.#last = { key, value };
    return value;
  }

  keys(): readonly string[] {
    return (this.#keys ??= Object.keys(this.native));
  }
}

/** Whether a value can be the key of a map. */
export function isMapKey(value: Value): boolean {
  return typeof value === "string" || typeof value === "boolean" || isNumeric(value);
}

export const EMPTY_MAP: MapValue = new EntryMap();
