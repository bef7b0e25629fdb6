import type { FunctionDeclaration, Implementation, Overload } from "../functions/declaration.js";
import { OPERATOR } from "../operators.js";
import {
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listType,
  STRING,
  TIMESTAMP,
  type Type,
  typeParameter,
  UINT,
} from "../types/type.js";
import { checkedDuration, Duration } from "../values/duration.js";
import { checkedInt, checkedUint, Double, ErrorValue, type Uint, type Value } from "../values/value.js";
import { GrowingList, type ListValue } from "../values/list.js";
import { spendSteps } from "../values/meter.js";
import { checkedTimestamp, Timestamp } from "../values/timestamp.js";

type Int = number | bigint;

const DIVISION_BY_ZERO = new ErrorValue("division by zero");
const MODULUS_BY_ZERO = new ErrorValue("modulus by zero");

/** An operation on ints: on numbers where the result is exact, else on bigints within int64. */
function onInts(short: (a: number, b: number) => number, long: (a: bigint, b: bigint) => bigint): Implementation {
  return (a: Int, b: Int): Value => {
    if (typeof a === "number" && typeof b === "number") {
      const result = short(a, b);
      if (Number.isSafeInteger(result)) return result === 0 ? 0 : result;
    }
    return checkedInt(long(BigInt(a), BigInt(b)));
  };
}

function onUints(compute: (a: bigint, b: bigint) => bigint): Implementation {
  return (a: Uint, b: Uint): Value => checkedUint(compute(a.value, b.value));
}

function onDoubles(compute: (a: number, b: number) => number): Implementation {
  return (a: Double, b: Double): Value => new Double(compute(a.value, b.value));
}

/** The error for a zero on the right, else what `compute` answers. */
function unlessZero(error: ErrorValue, compute: Implementation): Implementation {
  const call = compute as (a: Value, b: Value) => Value;
  return (a: Value, b: Value): Value => {
    const isZero = b === 0 || (typeof b === "object" && b !== null && "value" in b && b.value === 0n);
    return isZero ? error : call(a, b);
  };
}

function binary(
  name: string,
  ...rows: readonly (readonly [string, Type, Type, Type, Implementation])[]
): FunctionDeclaration {
  return { name, overloads: rows.map(([id, a, b, result, call]): Overload => ({ id, args: [a, b], result, call })) };
}

const LIST = listType(typeParameter("A"));

function concatLists(a: ListValue, b: ListValue): Value {
  return a instanceof GrowingList ? a.append(b) : a.concat(b);
}

function concatBytes(a: Uint8Array, b: Uint8Array): Value {
  spendSteps((a.length + b.length) / 64);
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

/** The longest string that is made: JavaScript's own limit is 2^29 code units. */
const LONGEST_STRING = 2 ** 26;

/** Concatenates strings; an error value where the result is too long. */
export function concatStrings(a: string, b: string): Value {
  spendSteps((a.length + b.length) / 16);
  return a.length + b.length > LONGEST_STRING ? new ErrorValue("string is too long") : a + b;
}

export const ARITHMETIC: readonly FunctionDeclaration[] = [
  binary(
    OPERATOR.add,
    ["add_bytes", BYTES, BYTES, BYTES, concatBytes],
    ["add_double", DOUBLE, DOUBLE, DOUBLE, onDoubles((a, b) => a + b)],
    [
      "add_duration_duration",
      DURATION,
      DURATION,
      DURATION,
      (a: Duration, b: Duration) => checkedDuration(a.nanoseconds + b.nanoseconds),
    ],
    [
      "add_duration_timestamp",
      DURATION,
      TIMESTAMP,
      TIMESTAMP,
      (a: Duration, b: Timestamp) => checkedTimestamp(a.nanoseconds + b.nanoseconds, b.offset),
    ],
    [
      "add_timestamp_duration",
      TIMESTAMP,
      DURATION,
      TIMESTAMP,
      (a: Timestamp, b: Duration) => checkedTimestamp(a.nanoseconds + b.nanoseconds, a.offset),
    ],
    [
      "add_int64",
      INT,
      INT,
      INT,
      onInts(
        (a, b) => a + b,
        (a, b) => a + b,
      ),
    ],
    ["add_list", LIST, LIST, LIST, concatLists],
    ["add_string", STRING, STRING, STRING, concatStrings],
    ["add_uint64", UINT, UINT, UINT, onUints((a, b) => a + b)],
  ),
  binary(
    OPERATOR.subtract,
    ["subtract_double", DOUBLE, DOUBLE, DOUBLE, onDoubles((a, b) => a - b)],
    [
      "subtract_duration_duration",
      DURATION,
      DURATION,
      DURATION,
      (a: Duration, b: Duration) => checkedDuration(a.nanoseconds - b.nanoseconds),
    ],
    [
      "subtract_int64",
      INT,
      INT,
      INT,
      onInts(
        (a, b) => a - b,
        (a, b) => a - b,
      ),
    ],
    [
      "subtract_timestamp_duration",
      TIMESTAMP,
      DURATION,
      TIMESTAMP,
      (a: Timestamp, b: Duration) => checkedTimestamp(a.nanoseconds - b.nanoseconds, a.offset),
    ],
    [
      "subtract_timestamp_timestamp",
      TIMESTAMP,
      TIMESTAMP,
      DURATION,
      (a: Timestamp, b: Timestamp) => checkedDuration(a.nanoseconds - b.nanoseconds),
    ],
    ["subtract_uint64", UINT, UINT, UINT, onUints((a, b) => a - b)],
  ),
  binary(
    OPERATOR.multiply,
    ["multiply_double", DOUBLE, DOUBLE, DOUBLE, onDoubles((a, b) => a * b)],
    [
      "multiply_int64",
      INT,
      INT,
      INT,
      onInts(
        (a, b) => a * b,
        (a, b) => a * b,
      ),
    ],
    ["multiply_uint64", UINT, UINT, UINT, onUints((a, b) => a * b)],
  ),
  binary(
    OPERATOR.divide,
    ["divide_double", DOUBLE, DOUBLE, DOUBLE, onDoubles((a, b) => a / b)],
    [
      "divide_int64",
      INT,
      INT,
      INT,
      unlessZero(
        DIVISION_BY_ZERO,
        onInts(
          (a, b) => Math.trunc(a / b),
          (a, b) => a / b,
        ),
      ),
    ],
    [
      "divide_uint64",
      UINT,
      UINT,
      UINT,
      unlessZero(
        DIVISION_BY_ZERO,
        onUints((a, b) => a / b),
      ),
    ],
  ),
  binary(
    OPERATOR.modulo,
    [
      "modulo_int64",
      INT,
      INT,
      INT,
      unlessZero(
        MODULUS_BY_ZERO,
        onInts(
          (a, b) => a % b,
          (a, b) => a % b,
        ),
      ),
    ],
    [
      "modulo_uint64",
      UINT,
      UINT,
      UINT,
      unlessZero(
        MODULUS_BY_ZERO,
        onUints((a, b) => a % b),
      ),
    ],
  ),
  {
    name: OPERATOR.negate,
    overloads: [
      { id: "negate_double", args: [DOUBLE], result: DOUBLE, call: (a: Double) => new Double(-a.value) },
      {
        id: "negate_int64",
        args: [INT],
        result: INT,
        call: (a: Int): Value => (a === 0 ? 0 : typeof a === "number" ? -a : checkedInt(-a)),
      },
    ],
  },
];
