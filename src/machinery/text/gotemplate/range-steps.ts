import { compareKeys } from "../../../base/collections/key-order.js";
import { boxed, type GoValue, invalid, sliceItems } from "./values.js";

/** What a range passes, one after the other: a key or index with what it holds. */
export type RangeStep = readonly [GoValue, GoValue];

/** Whether {@link rangeSteps} can pass it; nothing is passed of no value. */
export function canRange({ kind }: GoValue): boolean {
  return isCount(kind) || kind === "slice" || kind === "map" || kind === "invalid";
}

/** A number stands for what is below it: 0, 1, 2. */
export function isCount(kind: GoValue["kind"]): kind is "int" | "int64" | "uint8" {
  return kind === "int" || kind === "int64" || kind === "uint8";
}

/** Items of a list, entries of a map in the order of their keys, numbers below a number. */
export function* rangeSteps(value: GoValue): Iterable<RangeStep> {
  if (value.kind === "slice") {
    for (const [index, item] of sliceItems(value).entries()) yield [{ kind: "int", value: BigInt(index) }, boxed(item)];
  } else if (value.kind === "map") {
    for (const key of Object.keys(value.entries).toSorted(compareKeys)) {
      yield [{ kind: "string", value: key }, boxed(value.entries[key] ?? null)];
    }
  } else if (value.kind === "int" || value.kind === "int64" || value.kind === "uint8") {
    for (let count = 0n; count < value.value; count += 1n) yield [invalid, { kind: value.kind, value: count }];
  }
}
