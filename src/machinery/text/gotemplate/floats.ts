import { withoutTrailing } from "../../../base/text/without-trailing.js";

/*
 * Floating-point numbers as Go's strconv prints them with a given number of digits: exactly, half-way cases to even.
 * JavaScript's own toFixed and toExponential round those away from zero.
 */

interface Digits {
  /** Significant digits without a point; "" for zero. */
  readonly digits: string;
  /** Where the point is: the value is 0.digits times ten to this power. */
  readonly point: number;
}

/** Formats a finite number as %e does: with `decimals` digits after the point, or as many as it needs when undefined. */
export function formatExponent(value: number, decimals: number | undefined): string {
  const rounded = decimals === undefined ? shortest(value) : round(exact(value), decimals + 1);
  const digits = rounded.digits.padEnd((decimals ?? 0) + 1, "0");
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${sign(value)}${digits.charAt(0)}${fraction}${exponent(rounded.digits === "" ? 0 : rounded.point - 1)}`;
}

/** Formats a finite number as %f does: with `decimals` digits after the point, or as many as it needs when undefined. */
export function formatFixed(value: number, decimals: number | undefined): string {
  const all = decimals === undefined ? shortest(value) : exact(value);
  const rounded = decimals === undefined ? all : round(all, all.point + decimals);
  return sign(value) + fixed(rounded, decimals ?? Math.max(rounded.digits.length - rounded.point, 0));
}

/** Formats a finite number as %g does: with `precision` significant digits, or as many as it needs when undefined. */
export function formatGeneral(value: number, precision: number | undefined): string {
  const wanted = precision === 0 ? 1 : precision;
  const { digits, point } = wanted === undefined ? shortest(value) : round(exact(value), wanted);
  const power = digits === "" ? 0 : point - 1;
  if (power >= -4 && power < exponentFrom(wanted, digits.length, point)) {
    return sign(value) + fixed({ digits, point }, Math.max(digits.length - point, 0));
  }
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${sign(value)}${digits.charAt(0)}${fraction}${exponent(power)}`;
}

/** From which power of ten on %g shows an exponent. */
function exponentFrom(precision: number | undefined, digits: number, point: number): number {
  if (precision === undefined) return 6;
  return precision > digits && digits >= point ? Math.max(digits, 1) : precision;
}

function sign(value: number): string {
  return value < 0 || Object.is(value, -0) ? "-" : "";
}

function exponent(power: number): string {
  return `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function fixed({ digits, point }: Digits, decimals: number): string {
  const whole = point <= 0 ? "0" : digits.slice(0, point).padEnd(point, "0");
  if (decimals === 0) return whole;
  const fraction = point < 0 ? "0".repeat(-point) + digits : digits.slice(Math.max(point, 0));
  return `${whole}.${fraction.slice(0, decimals).padEnd(decimals, "0")}`;
}

/** The fewest digits that give the value back. */
function shortest(value: number): Digits {
  if (value === 0) return { digits: "", point: 0 };
  const [mantissa = "", power = "0"] = Math.abs(value).toExponential().split("e");
  return { digits: mantissa.replace(".", ""), point: Number(power) + 1 };
}

/** Every digit the value has in base ten. */
function exact(value: number): Digits {
  if (value === 0) return { digits: "", point: 0 };
  let scaled = Math.abs(value);
  let power = 0;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    power += 1;
  }
  // n / 2^p is n * 5^p / 10^p.
  const digits = (BigInt(scaled) * 5n ** BigInt(power)).toString();
  return { digits: withoutTrailing(digits, "0"), point: digits.length - power };
}

function round({ digits, point }: Digits, keep: number): Digits {
  if (keep >= digits.length) return { digits, point };
  if (keep < 0) return { digits: "", point: 0 };
  const rest = digits.slice(keep);
  const kept = digits.slice(0, keep);
  const isOdd = /[13579]$/.test(kept);
  const up = rest.charAt(0) > "5" || (rest.charAt(0) === "5" && (/[1-9]/.test(rest.slice(1)) || isOdd));
  if (!up) return trimmed(kept, point);
  const raised = (BigInt(kept === "" ? "0" : kept) + 1n).toString().padStart(kept.length, "0");
  return trimmed(raised, point + raised.length - kept.length);
}

function trimmed(digits: string, point: number): Digits {
  const significant = withoutTrailing(digits, "0");
  return significant === "" ? { digits: "", point: 0 } : { digits: significant, point };
}

interface Binary {
  /** 53 bits for a normal number. */
  readonly mantissa: bigint;
  /** Of two, by which the mantissa is multiplied. */
  readonly exponent: number;
}

function split(value: number): Binary {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

/** Formats a finite number that is not negative as %b does: 6755399441055744p-52. */
export function formatMantissa(value: number): string {
  const { mantissa, exponent } = split(value);
  return `${mantissa}p${exponent < 0 ? "" : "+"}${exponent}`;
}

/** Formats a finite number that is not negative as %x does: 0x1.8p+00, with as many hexadecimal digits as it needs or `digits`. */
export function formatHexFloat(value: number, digits: number | undefined): string {
  let { mantissa, exponent } = split(value);
  if (mantissa === 0n) return `0x0${digits === undefined || digits === 0 ? "" : `.${"0".repeat(digits)}`}p+00`;
  while (mantissa < 1n << 52n) {
    mantissa <<= 1n;
    exponent -= 1;
  }
  const kept = digits === undefined || digits >= 13 ? mantissa : roundToEven(mantissa, BigInt(13 - digits) * 4n);
  if (kept >= 1n << 53n) return formatHexFloat(2 ** (exponent + 53), digits);
  const hex = (kept & ((1n << 52n) - 1n)).toString(16).padStart(13, "0");
  const fraction = digits === undefined ? withoutTrailing(hex, "0") : hex.slice(0, digits).padEnd(digits, "0");
  const power = exponent + 52;
  const shownPower = `${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return `0x1${fraction === "" ? "" : `.${fraction}`}p${shownPower}`;
}

function roundToEven(value: bigint, bits: bigint): bigint {
  const unit = 1n << bits;
  const rest = value % unit;
  const down = value - rest;
  const half = unit >> 1n;
  return rest > half || (rest === half && (down / unit) % 2n === 1n) ? down + unit : down;
}
