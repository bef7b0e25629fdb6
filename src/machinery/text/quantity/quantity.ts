import { dictionary } from "../../../base/collections/dictionary.js";

/**
 * A resource.Quantity: the number `unscaled` x 10^`scale`, exact, and the family of suffixes it is written with.
 * `text` is what it was written as, kept only where apimachinery keeps it: when that text is already a canonical number.
 */
export interface Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  readonly text?: string | undefined;
  /** Set where apimachinery holds the number as a decimal of any length, and not as an int64 and a scale; to it such a number is no integer. */
  readonly wide?: boolean;
}

/** Thrown by {@link parseQuantity}; the message is apimachinery's. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMERIC_WRONG = "unable to parse numeric part of quantity";
const SUFFIX_WRONG = "unable to parse quantity's suffix";

const MAX_INT64 = 2n ** 63n - 1n;
/** The smallest step a quantity can hold is 10^-9. */
const NANO = -9;
/** A number with more places is no amount of a resource, and only costs memory. */
const MAX_PLACES = 10_000;
/** No character can belong to two parts: else a long text that fits nothing would be tried in every way. */
const SHAPE = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/;

export const zeroQuantity: Quantity = { unscaled: 0n, scale: 0, format: "DecimalSI", text: "0" };

/** Reads a quantity: "1500m", "2Gi", or a JSON number. Throws a QuantityError. */
export function parseQuantity(quantity: string | number): Quantity {
  const text = String(quantity);
  if (text === "") throw new QuantityError(FORMAT_WRONG);
  if (text === "0") return zeroQuantity;
  const match = SHAPE.exec(text);
  if (match === null) throw new QuantityError(FORMAT_WRONG);
  const [, sign = "", digits = "", fraction = "", suffix = ""] = match;
  const meaning = interpretSuffix(suffix);
  if (meaning === undefined) throw new QuantityError(SUFFIX_WRONG);
  if (Math.abs(meaning.exponent) > MAX_PLACES) throw new QuantityError(NUMERIC_WRONG);
  const significant = digits.replace(/^0+/, "");
  const whole = significant === "" ? "0" : significant;
  return parseExact(text, sign, whole, fraction, meaning) ?? parseRounded(sign, whole, fraction, meaning);
}

/** Numbers of up to 18 digits, which need no rounding; undefined for the others. */
function parseExact(
  text: string,
  sign: string,
  whole: string,
  fraction: string,
  { base, exponent, format }: { base: 2 | 10; exponent: number; format: QuantityFormat },
): Quantity | undefined {
  const binary = base === 2;
  if (binary && fraction !== "") return undefined;
  const precision = binary
    ? 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1
    : 18 - (whole.length + fraction.length);
  const scale = (binary ? 0 : exponent) - fraction.length;
  if (precision < 0 || scale < NANO) return undefined;
  const shifted = whole + fraction;
  const value = BigInt(shifted);
  const magnitude = binary ? value << BigInt(exponent) : value;
  if (magnitude > MAX_INT64) return undefined;
  const canonical = binary
    ? (value & 7n) !== 0n
    : scale % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0");
  return { unscaled: sign === "-" ? -magnitude : magnitude, scale, format, text: canonical ? text : undefined };
}

/** Any other number: rounded up to a billionth, binary ones capped at 2^63-1. */
function parseRounded(
  sign: string,
  whole: string,
  fraction: string,
  { base, exponent, format }: { base: 2 | 10; exponent: number; format: QuantityFormat },
): Quantity {
  if (whole.length + fraction.length > MAX_PLACES) throw new QuantityError(NUMERIC_WRONG);
  let unscaled = BigInt(whole + fraction);
  let scale = -fraction.length;
  if (base === 10) scale += exponent;
  else unscaled <<= BigInt(exponent);
  if (unscaled !== 0n) {
    // apimachinery writes every such number down to the billionth.
    unscaled = scale < NANO ? divideUp(unscaled, 10n ** BigInt(NANO - scale)) : unscaled * 10n ** BigInt(scale - NANO);
    scale = NANO;
  }
  let resultFormat = format;
  if (format === "BinarySI") {
    if (compareScaled(unscaled, scale, MAX_INT64, 0) > 0) [unscaled, scale] = [MAX_INT64, 0];
    if (unscaled > 0n && compareScaled(unscaled, scale, 1n, 0) < 0) resultFormat = "DecimalSI";
  }
  return { unscaled: sign === "-" ? -unscaled : unscaled, scale, format: resultFormat, wide: true };
}

/** Formats a quantity as Go marshals it: the original text if that was canonical, else the canonical form. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return "0";
  if (quantity.format === "BinarySI") {
    const value = integerOf(quantity);
    if (value !== undefined && (value >= 1024n || value <= -1024n)) return formatBinary(value);
  }
  return formatDecimal(quantity, quantity.format === "DecimalExponent" ? "DecimalExponent" : "DecimalSI");
}

function formatDecimal({ unscaled, scale }: Quantity, format: "DecimalSI" | "DecimalExponent"): string {
  let number = unscaled;
  let exponent = scale;
  while (number % 10n === 0n) {
    number /= 10n;
    exponent++;
  }
  while (exponent % 3 !== 0) {
    number *= 10n;
    exponent--;
  }
  return `${number}${decimalSuffix(exponent, format)}`;
}

function formatBinary(value: bigint): string {
  let number = value;
  let exponent = 0;
  while (number % 1024n === 0n) {
    number /= 1024n;
    exponent += 10;
  }
  return `${number}${binarySuffix(exponent)}`;
}

/** Rewrites a quantity as Go does when it decodes and encodes it: "1000m" -> "1", "0.5Gi" -> "512Mi", 2 -> "2". */
export function canonicalizeQuantity(value: string | number | bigint): string {
  return formatQuantity(parseQuantity(String(value).trim()));
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return compareScaled(a.unscaled, a.scale, b.unscaled, b.scale);
}

/** Adds two quantities. The sum is formatted with the suffixes of `a`, unless `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const format = a.unscaled === 0n ? b.format : a.format;
  const either = a.wide === true || b.wide === true;
  if (b.unscaled === 0n) return { unscaled: a.unscaled, scale: a.scale, format, wide: either };
  if (a.unscaled === 0n) return { unscaled: b.unscaled, scale: b.scale, format, wide: either };
  const scale = Math.min(a.scale, b.scale);
  const [left, right] = [atScale(a, scale), atScale(b, scale)];
  const unscaled = left + right;
  return { unscaled, scale, format, wide: either || ![left, right, unscaled].every(fitsInt64) };
}

/** Negates a quantity. */
export function negateQuantity({ unscaled, scale, format, wide }: Quantity): Quantity {
  return { unscaled: -unscaled, scale, format, wide: wide === true };
}

/**
 * Converts a quantity as apimachinery's AsInt64 does: undefined for a number that it holds as a fraction ("1000m") or a decimal,
 * or that is too large.
 */
export function quantityAsInt64(quantity: Quantity): bigint | undefined {
  if (quantity.wide === true || quantity.scale < 0) return undefined;
  if (quantity.unscaled !== 0n && quantity.scale > 18) return undefined;
  const value = atScale(quantity, 0);
  return fitsInt64(value) ? value : undefined;
}

const fitsInt64 = (value: bigint): boolean => value >= -MAX_INT64 - 1n && value <= MAX_INT64;

/** Converts a quantity to units of 10^`scale`, rounded away from zero: `quantityValue(q, -3)` is milli-units. */
export function quantityValue(quantity: Quantity, scale = 0): bigint {
  if (quantity.scale >= scale) return atScale(quantity, scale);
  const divisor = 10n ** BigInt(scale - quantity.scale);
  return quantity.unscaled < 0n ? -divideUp(-quantity.unscaled, divisor) : divideUp(quantity.unscaled, divisor);
}

/** Converts a quantity to a number, which may lose precision. */
export function quantityToNumber({ unscaled, scale }: Quantity): number {
  return scale < 0 ? Number(unscaled) / 10 ** -scale : Number(unscaled) * 10 ** scale;
}

/** The value when it is whole. */
function integerOf(quantity: Quantity): bigint | undefined {
  if (quantity.scale >= 0) return atScale(quantity, 0);
  const divisor = 10n ** BigInt(-quantity.scale);
  return quantity.unscaled % divisor === 0n ? quantity.unscaled / divisor : undefined;
}

function atScale({ unscaled, scale }: Quantity, target: number): bigint {
  return unscaled * 10n ** BigInt(scale - target);
}

function compareScaled(a: bigint, aScale: number, b: bigint, bScale: number): number {
  const scale = Math.min(aScale, bScale);
  const left = a * 10n ** BigInt(aScale - scale);
  const right = b * 10n ** BigInt(bScale - scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

function divideUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/** A cluster has few different quantities; each is parsed once. */
const MOST_KNOWN = 4096;
const milliValues = new Map<string, number>();
const wholeValues = new Map<string, number>();

/** Converts a quantity to thousandths, rounded up: "0.5" is 500. */
export function milliValue(quantity: string | number): number {
  return remembered(milliValues, quantity, -3);
}

/** Converts a quantity to whole units, rounded up: "1Ki" is 1024. */
export function wholeValue(quantity: string | number): number {
  return remembered(wholeValues, quantity, 0);
}

function remembered(known: Map<string, number>, quantity: string | number, scale: number): number {
  const text = String(quantity);
  let value = known.get(text);
  if (value === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    value = Number(quantityValue(parseQuantity(text), scale));
    known.set(text, value);
  }
  return value;
}

/** Powers of 1024 with Ki, Mi...; powers of 1000 with k, M...; or e3, e6... */
type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

export interface SuffixMeaning {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const DECIMAL: Readonly<Record<string, number>> = dictionary({
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
});

const BINARY: Readonly<Record<string, number>> = dictionary({
  Ki: 10,
  Mi: 20,
  Gi: 30,
  Ti: 40,
  Pi: 50,
  Ei: 60,
});

const DECIMAL_BY_EXPONENT = new Map(Object.entries(DECIMAL).map(([suffix, exponent]) => [exponent, suffix]));
const BINARY_BY_EXPONENT = new Map(Object.entries(BINARY).map(([suffix, exponent]) => [exponent, suffix]));

/** undefined for what is no suffix. */
function interpretSuffix(suffix: string): SuffixMeaning | undefined {
  const decimal = DECIMAL[suffix];
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: "DecimalSI" };
  const binary = BINARY[suffix];
  if (binary !== undefined) return { base: 2, exponent: binary, format: "BinarySI" };
  if (/^[eE][-+]?[0-9]+$/.test(suffix)) {
    return { base: 10, exponent: Number(suffix.slice(1)), format: "DecimalExponent" };
  }
  return undefined;
}

/** "" where there is no suffix for that power, as in Go. */
function decimalSuffix(exponent: number, format: "DecimalSI" | "DecimalExponent"): string {
  if (format === "DecimalSI") return DECIMAL_BY_EXPONENT.get(exponent) ?? "";
  return exponent === 0 ? "" : `e${exponent}`;
}

function binarySuffix(exponent: number): string {
  return BINARY_BY_EXPONENT.get(exponent) ?? "";
}
