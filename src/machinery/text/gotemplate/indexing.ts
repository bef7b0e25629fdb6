import { byteSlice, bytesOf } from "../../../base/text/byte-text.js";
import { FunctionError } from "./template-error.js";
import {
  boxed,
  type Concrete,
  type GoValue,
  isNilInterface,
  lengthOf,
  nilInterface,
  type SliceValue,
  typeName,
  unboxed,
} from "./values.js";

/** `index x 1 "a"`: the value at x[1]["a"]; nothing for a missing key. Throws {@link FunctionError}. */
export function index(item: GoValue, indexes: readonly GoValue[]): GoValue {
  let current: GoValue = unboxed(item);
  if (current.kind === "invalid") throw new FunctionError("index of untyped nil");
  for (const one of indexes) {
    if (isNilInterface(current)) throw new FunctionError("index of nil pointer");
    current = indexOne(unboxed(current), unboxed(one));
  }
  return current;
}

function indexOne(item: GoValue, one: GoValue): GoValue {
  if (item.kind === "map") return entry(item, keyOf(one)) ?? nilInterface;
  if (item.kind !== "slice" && item.kind !== "string") {
    throw new FunctionError(`can't index item of type ${typeName(item)}`);
  }
  const length = lengthOf(item) ?? 0;
  const position = positionOf(one, length);
  // Go's own check lets the length itself pass; its reflection then complains.
  if (position === length) throw new FunctionError(`reflect: ${item.kind} index out of range`);
  return itemAt(item, position);
}

function keyOf(key: GoValue): string {
  if (key.kind === "invalid") throw new FunctionError("value is nil; should be of type string");
  if (key.kind !== "string") throw new FunctionError(`value has type ${typeName(key)}; should be string`);
  return key.value;
}

function positionOf(position: GoValue, limit: number): number {
  if (position.kind === "invalid") throw new FunctionError("cannot index slice/array with nil");
  const value = integerIn(position);
  if (value === undefined) throw new FunctionError(`cannot index slice/array with type ${typeName(position)}`);
  if (value < 0n || value > BigInt(limit)) throw new FunctionError(`index out of range: ${value}`);
  return Number(value);
}

function integerIn(value: GoValue): bigint | undefined {
  return value.kind === "int" || value.kind === "int64" || value.kind === "uint8" ? value.value : undefined;
}

function entry({ entries }: Concrete & { kind: "map" }, key: string): GoValue | undefined {
  const held = Object.hasOwn(entries, key) ? entries[key] : undefined;
  return held === undefined ? undefined : boxed(held);
}

function itemAt(item: SliceValue | (Concrete & { kind: "string" }), position: number): GoValue {
  if (item.kind === "slice") return boxed(item.list[item.from + position] ?? null);
  return { kind: "uint8", value: BigInt(bytesOf(item.value)[position] ?? 0) };
}

/** Evaluates `slice x 1 2`: x[1:2] of a list or the bytes of a string. Throws {@link FunctionError}. */
export function slice(item: GoValue, indexes: readonly GoValue[]): GoValue {
  const held = unboxed(item);
  if (held.kind === "invalid") throw new FunctionError("slice of untyped nil");
  if (indexes.length > 3) throw new FunctionError(`too many slice indexes: ${indexes.length}`);
  if (held.kind === "string" && indexes.length === 3) throw new FunctionError("cannot 3-index slice a string");
  if (held.kind !== "string" && held.kind !== "slice") {
    throw new FunctionError(`can't slice item of type ${typeName(held)}`);
  }
  const length = lengthOf(held) ?? 0;
  const capacity = held.kind === "slice" ? held.capacity : length;
  // Unlike `index`, this does not look into an interface.
  const [start = 0, end = length, limit = capacity] = indexes.map((one) => positionOf(one, capacity));
  if (start > end) throw new FunctionError(`invalid slice index: ${start} > ${end}`);
  if (end > limit) throw new FunctionError(`invalid slice index: ${end} > ${limit}`);
  if (held.kind === "string") return { kind: "string", value: byteSlice(held.value, start, end) };
  return { ...held, from: held.from + start, length: end - start, capacity: limit - start };
}

/** kubectl's `exists`: whether `index` with the same arguments would find a value. */
export function exists(item: GoValue, indexes: readonly GoValue[]): boolean {
  let current: GoValue = unboxed(item);
  for (const one of indexes) {
    const held = unboxed(current);
    const found = existing(held, unboxed(one));
    if (found === undefined) return false;
    current = found;
  }
  return !isNilInterface(current);
}

function existing(item: GoValue, one: GoValue): GoValue | undefined {
  if (item.kind === "map") {
    if (one.kind === "invalid") return entry(item, "") ?? nilInterface;
    return one.kind === "string" ? (entry(item, one.value) ?? nilInterface) : undefined;
  }
  if (item.kind !== "slice" && item.kind !== "string") return undefined;
  const position = integerIn(one);
  const length = lengthOf(item) ?? 0;
  if (position === undefined || position < 0n || position >= BigInt(length)) return undefined;
  return itemAt(item, Number(position));
}
