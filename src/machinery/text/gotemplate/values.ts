import { byteLength } from "../../../base/text/byte-text.js";
import { goTypeName } from "../go/go-values.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../meta/json.js";
import { compareKeys } from "../../../base/collections/key-order.js";

/** A value whose dynamic type is known. */
export type Concrete =
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "int" | "int64" | "uint8"; readonly value: bigint }
  | { readonly kind: "float64"; readonly value: number }
  | { readonly kind: "complex128"; readonly real: number; readonly imaginary: number }
  | { readonly kind: "map"; readonly entries: JsonObject }
  | SliceValue;

/** A slice: a part of a list. In Go a slice can be extended into its list beyond its end. */
export interface SliceValue {
  readonly kind: "slice";
  readonly list: readonly JsonValue[];
  readonly from: number;
  readonly length: number;
  readonly capacity: number;
}

/**
 * What an expression gives, as Go's reflection tells values apart: what lies in a map or list is an interface around a
 * value or around nothing, which error messages and functions treat otherwise than the bare value; "invalid" is no
 * value at all, such as a missing key's.
 */
export type GoValue =
  | Concrete
  | { readonly kind: "interface"; readonly held: Concrete | undefined }
  | { readonly kind: "invalid" };

export const invalid: GoValue = { kind: "invalid" };
export const nilInterface: GoValue = { kind: "interface", held: undefined };

/** Converts a JSON value as Go decodes it into an interface; undefined for null. */
export function concrete(value: JsonValue): Concrete | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    return { kind: "slice", list: value, from: 0, length: value.length, capacity: grownCapacity(value.length) };
  }
  if (isJsonObject(value)) return { kind: "map", entries: value };
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "string") return { kind: "string", value };
  if (typeof value === "number" && goTypeName(value) === "float64") return { kind: "float64", value };
  return { kind: "int64", value: BigInt(value) };
}

/** Wraps an element of a map or list in an interface value, as Go's decoder does. */
export function boxed(value: JsonValue): GoValue {
  return { kind: "interface", held: concrete(value) };
}

/** Go's decoder appends one item after another: the room doubles, as long as lists are short. */
function grownCapacity(length: number): number {
  return length === 0 || length > 512 ? length : 2 ** Math.ceil(Math.log2(length));
}

export function sliceItems({ list, from, length }: SliceValue): readonly JsonValue[] {
  return Array.from({ length }, (_, index) => list[from + index] ?? null);
}

/** Unwraps an interface value, as Go's reflect.Value.Elem does. */
export function unboxed(value: GoValue): Concrete | { readonly kind: "invalid" } {
  return value.kind === "interface" ? (value.held ?? { kind: "invalid" }) : value;
}

export function isNilInterface(value: GoValue): boolean {
  return value.kind === "interface" && value.held === undefined;
}

/** Go's name for the static type of a value: an interface is "interface {}", whatever it holds. */
export function typeName({ kind }: GoValue): string {
  if (kind === "map") return "map[string]interface {}";
  if (kind === "slice") return "[]interface {}";
  if (kind === "interface") return "interface {}";
  return kind === "invalid" ? "<nil>" : kind;
}

/** Whether if, with, and, or, not treat a value as true: it is not empty, zero or nothing. */
export function isTrue(value: GoValue): boolean {
  const held = unboxed(value);
  switch (held.kind) {
    case "invalid":
      return false;
    case "bool":
      return held.value;
    case "string":
      return held.value !== "";
    case "int":
    case "int64":
    case "uint8":
      return held.value !== 0n;
    case "float64":
      return held.value !== 0;
    case "complex128":
      return held.real !== 0 || held.imaginary !== 0;
    case "map":
      return Object.keys(held.entries).length > 0;
    case "slice":
      return held.length > 0;
  }
}

/** The length of a string in bytes, of a map in entries or of a list in items; undefined for any other value. */
export function lengthOf(value: GoValue): number | undefined {
  if (value.kind === "string") return byteLength(value.value);
  if (value.kind === "map") return Object.keys(value.entries).length;
  return value.kind === "slice" ? value.length : undefined;
}

/** One iteration of a range: the key or index, and its value. */
export type RangeStep = readonly [GoValue, GoValue];

/** Whether {@link rangeSteps} accepts the value; no value gives no steps. */
export function canRange({ kind }: GoValue): boolean {
  return isCount(kind) || kind === "slice" || kind === "map" || kind === "invalid";
}

/** Whether a range over a value of this kind counts up to it: 0, 1, 2. */
export function isCount(kind: GoValue["kind"]): kind is "int" | "int64" | "uint8" {
  return kind === "int" || kind === "int64" || kind === "uint8";
}

/** Iterates over the items of a list, the entries of a map sorted by key, or the numbers below a number. */
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
