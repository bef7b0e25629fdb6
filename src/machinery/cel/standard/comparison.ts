import { dictionary } from "../../../base/collections/dictionary.js";
import type { FunctionDeclaration, Overload } from "../functions/declaration.js";
import { OPERATOR } from "../operators.js";
import { BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, type Type, UINT } from "../types/type.js";
import type { Duration } from "../values/duration.js";
import { spendSteps } from "../values/meter.js";
import type { Timestamp } from "../values/timestamp.js";
import { compareNumbers, type Numeric, type Value } from "../values/value.js";

/** Negative, zero or positive; NaN where neither is smaller, nor are they equal. */
type Compare = (a: never, b: never) => number;

const COMPARE: Readonly<Record<string, Compare>> = dictionary({
  bool: (a: boolean, b: boolean) => Number(a) - Number(b),
  bytes: compareBytes,
  duration: (a: Duration, b: Duration) => compareBig(a.nanoseconds, b.nanoseconds),
  string: compareStrings,
  timestamp: (a: Timestamp, b: Timestamp) => compareBig(a.nanoseconds, b.nanoseconds),
});

function compareBig(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares strings by code points, as Go compares UTF-8. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x === y) continue;
    spendSteps(index / 64);
    // Of two code units that differ, one of a surrogate pair stands for a code point above all others.
    const [high, low] = [x >= 0xd800 && x <= 0xdfff, y >= 0xd800 && y <= 0xdfff];
    return high === low ? x - y : high ? 1 : -1;
  }
  return a.length - b.length;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  spendSteps(length / 64);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Compares two values of one type that has an order, or two numbers. */
export function compareValues(kind: string, a: Value, b: Value): number {
  const compare = COMPARE[kind] as ((a: Value, b: Value) => number) | undefined;
  return compare === undefined ? compareNumbers(a as Numeric, b as Numeric) : compare(a, b);
}

const SAME: readonly (readonly [string, Type])[] = [
  ["bool", BOOL],
  ["int64", INT],
  ["uint64", UINT],
  ["double", DOUBLE],
  ["string", STRING],
  ["bytes", BYTES],
  ["timestamp", TIMESTAMP],
  ["duration", DURATION],
];

const MIXED: readonly (readonly [string, Type, Type])[] = [
  ["int64_double", INT, DOUBLE],
  ["int64_uint64", INT, UINT],
  ["uint64_double", UINT, DOUBLE],
  ["uint64_int64", UINT, INT],
  ["double_int64", DOUBLE, INT],
  ["double_uint64", DOUBLE, UINT],
];

function relation(name: string, id: string, holds: (order: number) => boolean): FunctionDeclaration {
  const overload = (suffix: string, a: Type, b: Type): Overload => {
    const compare = COMPARE[a.kind] as ((a: Value, b: Value) => number) | undefined;
    const order = compare ?? ((x: Value, y: Value) => compareNumbers(x as Numeric, y as Numeric));
    return { id: `${id}_${suffix}`, args: [a, b], result: BOOL, call: (x: Value, y: Value) => holds(order(x, y)) };
  };
  const overloads = [
    ...SAME.map(([suffix, type]) => overload(suffix, type, type)),
    ...MIXED.map((row) => overload(...row)),
  ];
  return { name, overloads: overloads.map((row) => (row.id.endsWith("_int64") ? withNumbers(name, row) : row)) };
}

/** Ints compare as JavaScript's numbers and bigints do, which is the hot path of rules. */
function withNumbers(name: string, overload: Overload): Overload {
  const [a, b] = overload.args;
  if (a !== INT || b !== INT) return overload;
  type Int = number | bigint;
  switch (name) {
    case OPERATOR.less:
      return { ...overload, call: (x: Int, y: Int) => x < y };
    case OPERATOR.lessEquals:
      return { ...overload, call: (x: Int, y: Int) => x <= y };
    case OPERATOR.greater:
      return { ...overload, call: (x: Int, y: Int) => x > y };
    default:
      return { ...overload, call: (x: Int, y: Int) => x >= y };
  }
}

export const COMPARISON: readonly FunctionDeclaration[] = [
  relation(OPERATOR.less, "less", (order) => order < 0),
  relation(OPERATOR.lessEquals, "less_equals", (order) => order <= 0),
  relation(OPERATOR.greater, "greater", (order) => order > 0),
  relation(OPERATOR.greaterEquals, "greater_equals", (order) => order >= 0),
];
