import { ErrorValue, Uint } from "./value.js";

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

export const INT_OVERFLOW = new ErrorValue("integer overflow");
export const UINT_OVERFLOW = new ErrorValue("unsigned integer overflow");

/** An int value of a bigint in its range: a number where that is exact. */
export function intOf(value: bigint): number | bigint {
  const short = Number(value);
  return Number.isSafeInteger(short) ? short : value;
}

/** {@link intOf}, or the error of what int64 cannot hold. */
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
