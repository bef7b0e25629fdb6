import { BOOL, BYTES, DOUBLE, DYN, ERROR, INT, NULL, optionalType, STRING, Type, TYPE, UINT } from "../types/type.js";

/**
 * A value of an expression. Most are JavaScript's own values, so that objects need no conversion:
 *
 * - int: a number where it is a safe integer, and else a bigint, so that equal ints are `===`;
 * - bool, string, null: themselves; bytes: a Uint8Array;
 * - double and uint: {@link Double} and {@link Uint}, because a number is an int;
 * - everything else: an instance of {@link CelValue}.
 *
 * A failed evaluation is a value too ({@link ErrorValue}): `||` and `&&` may absorb it.
 */
export type Value = boolean | number | bigint | string | null | Uint8Array | Type | CelValue;

/**
 * The base of every value that is neither one of JavaScript's own nor a {@link Type}. Values that libraries define (a quantity) extend
 * {@link OpaqueValue}.
 */
export abstract class CelValue {
  abstract readonly type: Type;

  /** Whether `other` equals it. It is only asked of values that are neither numbers nor errors. */
  abstract equals(other: Value): boolean;

  /** What `size` answers and costs are computed with; undefined: this value has no size. */
  get size(): number | undefined {
    return undefined;
  }

  /** How messages show it. */
  toString(): string {
    return this.type.toString();
  }

  /** Whether it is what its type has when nothing was set: nothing in it. */
  get isZero(): boolean {
    return this.size === 0;
  }
}

const OPTIONAL_OF_DYN = optionalType(DYN);

/** A floating-point number. */
export class Double extends CelValue {
  readonly type = DOUBLE;
  readonly value: number;

  constructor(value: number) {
    super();
    this.value = value;
  }

  equals(other: Value): boolean {
    return other instanceof Double && other.value === this.value;
  }
}

/** An unsigned integer below 2^64. */
export class Uint extends CelValue {
  readonly type = UINT;
  readonly value: bigint;

  constructor(value: bigint) {
    super();
    this.value = value;
  }

  equals(other: Value): boolean {
    return other instanceof Uint && other.value === this.value;
  }
}

/** A failed evaluation, worded as cel-go words it. */
export class ErrorValue extends CelValue {
  readonly type = ERROR;
  readonly message: string;

  constructor(message: string) {
    super();
    this.message = message;
  }

  equals(): boolean {
    return false;
  }
}

/** A value of a type that only functions read. */
export abstract class OpaqueValue extends CelValue {
  /** What `==` answers; an error where it cannot be compared with `other`. */
  isEqualTo(other: Value): boolean | ErrorValue {
    return this.equals(other);
  }

  override get isZero(): boolean {
    return false;
  }
}

/** An object with declared fields. */
export abstract class ObjectValue extends CelValue {
  /** The field's value, its default where it is not set, or an error. */
  abstract get(field: string): Value;
  /** What `has(object.field)` answers; an error where there is no such field. */
  abstract has(field: string): boolean | ErrorValue;
}

/** A value that may be missing: `optional.of(x)`, `optional.none()`. */
export class OptionalValue extends CelValue {
  readonly type = OPTIONAL_OF_DYN;
  /** undefined: there is none. */
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    super();
    this.value = value;
  }

  equals(other: Value): boolean {
    if (!(other instanceof OptionalValue)) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equalValues(this.value, other.value);
  }
}

export const OPTIONAL_NONE = new OptionalValue(undefined);

export const NO_SUCH_OVERLOAD = new ErrorValue("no such overload");

/** The runtime type of a value; for lists and maps it does not include the types of their elements. */
export function typeOf(value: Value): Type {
  if (typeof value === "string") return STRING;
  if (typeof value === "number" || typeof value === "bigint") return INT;
  if (typeof value === "boolean") return BOOL;
  if (value === null) return NULL;
  if (value instanceof Uint8Array) return BYTES;
  return value instanceof Type ? TYPE : value.type;
}

/** Whether two values are equal: numbers by their value, whatever their types; other values only if they have the same type. */
export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a === "string" || typeof a === "boolean" || a === null) return false;
  if (typeof a === "number" && typeof b === "number") return false;
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalBytes(a, b);
  if (a instanceof Type) return b instanceof Type && a.name === b.name;
  return a.equals(b);
}

/** An int, a uint or a double. */
export type Numeric = number | bigint | Double | Uint;

export function isNumeric(value: Value): value is Numeric {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Double || value instanceof Uint;
}

/**
 * Compares numbers by value: negative, zero or positive; NaN if one of them is not a number. An integer is compared with a double
 * as the nearest double, as in cel-go.
 */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
  const inexact = a instanceof Double || b instanceof Double;
  const [x, y] = inexact ? [Number(plainNumber(a)), Number(plainNumber(b))] : [plainNumber(a), plainNumber(b)];
  if (x < y) return -1;
  if (x > y) return 1;
  return Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : 0;
}

function plainNumber(value: Numeric): number | bigint {
  return typeof value === "object" ? value.value : value;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Formats a value for a message, as Go's `%v` does. */
export function describeValue(value: Value): string {
  if (value instanceof Double) return describeDouble(value.value);
  if (value instanceof Uint) return value.value.toString();
  return String(value);
}

function describeDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e21) return String(value);
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

export const INT_OVERFLOW = new ErrorValue("integer overflow");
export const UINT_OVERFLOW = new ErrorValue("unsigned integer overflow");

/** Makes an int value of a bigint in its range: a number where that is exact. */
export function intOf(value: bigint): number | bigint {
  const short = Number(value);
  return Number.isSafeInteger(short) ? short : value;
}

/** {@link intOf}, or an error value for an integer that int64 cannot represent. */
export function checkedInt(value: bigint): number | bigint | ErrorValue {
  return value < MIN || value > MAX ? INT_OVERFLOW : intOf(value);
}

export function checkedUint(value: bigint): Uint | ErrorValue {
  return value < 0n || value > MAX_UINT ? UINT_OVERFLOW : new Uint(value);
}

export function fitsInt(value: bigint): boolean {
  return value >= MIN && value <= MAX;
}

export function fitsUint(value: bigint): boolean {
  return value >= 0n && value <= MAX_UINT;
}
