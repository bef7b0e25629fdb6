import { formatG } from "../../text/go/format-g.js";
import type { FunctionDeclaration, Implementation, Overload } from "../functions/declaration.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  type Type,
  typeParameter,
  typeType,
  UINT,
} from "../types/type.js";
import { type Duration, parseDuration } from "../values/duration.js";
import {
  checkedInt,
  checkedUint,
  fitsInt,
  fitsUint,
  INT_OVERFLOW,
  intOf,
  UINT_OVERFLOW,
  Double,
  ErrorValue,
  typeOf,
  Uint,
  type Value,
} from "../values/value.js";
import { spendSteps } from "../values/meter.js";
import { checkedTimestamp, parseTimestamp, type Timestamp } from "../values/timestamp.js";

const identity = (value: Value): Value => value;

/** Conversions to a type, by the names of what they convert. */
function conversion(
  name: string,
  result: Type,
  rows: readonly (readonly [id: string, from: Type, call: Implementation])[],
): FunctionDeclaration {
  return { name, overloads: rows.map(([id, from, call]): Overload => ({ id, args: [from], result, call })) };
}

/** The error of a text that is no value of a type. */
const notA = (type: Type): ErrorValue => new ErrorValue(`type conversion error from 'string' to '${type.name}'`);

function doubleToInt({ value }: Double): Value {
  const whole = Math.trunc(value);
  // 2^63 is a double, the largest int64 is not: doubles that round to it are refused on both sides.
  if (!Number.isFinite(value) || whole <= -(2 ** 63) || whole >= 2 ** 63) return INT_OVERFLOW;
  return intOf(BigInt(whole));
}

function doubleToUint({ value }: Double): Value {
  const whole = Math.trunc(value);
  if (!Number.isFinite(value) || whole < 0 || whole >= 2 ** 64) return UINT_OVERFLOW;
  return new Uint(BigInt(whole));
}

function stringToInt(text: string): Value {
  if (!/^[-+]?\d+$/.test(text) || text.length > LONGEST_NUMBER) return notA(INT);
  const value = BigInt(text.replace(/^\+/, ""));
  return fitsInt(value) ? intOf(value) : notA(INT);
}

function stringToUint(text: string): Value {
  if (!/^\d+$/.test(text) || text.length > LONGEST_NUMBER) return notA(UINT);
  const value = BigInt(text);
  return fitsUint(value) ? new Uint(value) : notA(UINT);
}

/** No text that is longer is a number; reading one would take time in proportion to its square. */
const LONGEST_NUMBER = 1000;

function stringToDouble(text: string): Value {
  const special = /^([-+]?)(?:inf|infinity)$/i.exec(text);
  if (special !== null) return new Double(special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  if (/^nan$/i.test(text)) return new Double(Number.NaN);
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) return notA(DOUBLE);
  const value = Number(text);
  return Number.isFinite(value) ? new Double(value) : notA(DOUBLE);
}

const BOOLS: Readonly<Record<string, boolean>> = {
  1: true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  0: false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

function stringToBool(text: string): Value {
  return Object.hasOwn(BOOLS, text) ? (BOOLS[text] as boolean) : notA(BOOL);
}

/** Formats a double as `string(double)` does. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return Object.is(value, -0) ? "-0" : formatG(value);
}

function bytesToString(bytes: Uint8Array): Value {
  spendSteps(bytes.length / 64);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new ErrorValue("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function stringToBytes(text: string): Value {
  spendSteps(text.length / 64);
  return new TextEncoder().encode(text);
}

function stringToDuration(text: string): Value {
  return parseDuration(text) ?? notA(DURATION);
}

function stringToTimestamp(text: string): Value {
  return parseTimestamp(text) ?? notA(TIMESTAMP);
}

export const CONVERSIONS: readonly FunctionDeclaration[] = [
  {
    name: "type",
    overloads: [
      {
        id: "type",
        args: [typeParameter("A")],
        result: typeType(typeParameter("A")),
        call: (value: Value) => typeOf(value),
      },
    ],
  },
  { name: "dyn", overloads: [{ id: "to_dyn", args: [typeParameter("A")], result: DYN, call: identity }] },
  conversion("bool", BOOL, [
    ["bool_to_bool", BOOL, identity],
    ["string_to_bool", STRING, stringToBool],
  ]),
  conversion("bytes", BYTES, [
    ["bytes_to_bytes", BYTES, identity],
    ["string_to_bytes", STRING, stringToBytes],
  ]),
  conversion("double", DOUBLE, [
    ["double_to_double", DOUBLE, identity],
    ["int64_to_double", INT, (value: number | bigint) => new Double(Number(value))],
    ["string_to_double", STRING, stringToDouble],
    ["uint64_to_double", UINT, ({ value }: Uint) => new Double(Number(value))],
  ]),
  conversion("duration", DURATION, [
    ["duration_to_duration", DURATION, identity],
    ["string_to_duration", STRING, stringToDuration],
  ]),
  conversion("int", INT, [
    ["int64_to_int64", INT, identity],
    ["double_to_int64", DOUBLE, doubleToInt],
    ["duration_to_int64", DURATION, ({ nanoseconds }: Duration) => checkedInt(nanoseconds)],
    ["string_to_int64", STRING, stringToInt],
    ["timestamp_to_int64", TIMESTAMP, ({ seconds }: Timestamp) => intOf(seconds)],
    ["uint64_to_int64", UINT, ({ value }: Uint) => checkedInt(value)],
  ]),
  conversion("string", STRING, [
    ["string_to_string", STRING, identity],
    ["bool_to_string", BOOL, String],
    ["bytes_to_string", BYTES, bytesToString],
    ["double_to_string", DOUBLE, ({ value }: Double) => formatDouble(value)],
    ["duration_to_string", DURATION, String],
    ["int64_to_string", INT, String],
    ["timestamp_to_string", TIMESTAMP, String],
    ["uint64_to_string", UINT, ({ value }: Uint) => value.toString()],
  ]),
  conversion("timestamp", TIMESTAMP, [
    ["timestamp_to_timestamp", TIMESTAMP, identity],
    ["int64_to_timestamp", INT, (seconds: number | bigint) => checkedTimestamp(BigInt(seconds) * 1_000_000_000n)],
    ["string_to_timestamp", STRING, stringToTimestamp],
  ]),
  conversion("uint", UINT, [
    ["uint64_to_uint64", UINT, identity],
    ["double_to_uint64", DOUBLE, doubleToUint],
    ["int64_to_uint64", INT, (value: number | bigint) => checkedUint(BigInt(value))],
    ["string_to_uint64", STRING, stringToUint],
  ]),
];
