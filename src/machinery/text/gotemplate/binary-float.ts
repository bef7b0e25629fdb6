import { withoutTrailing } from "../../../base/text/without-trailing.js";

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

/** %b of a finite number that is not negative: 6755399441055744p-52. */
export function formatMantissa(value: number): string {
  const { mantissa, exponent } = split(value);
  return `${mantissa}p${exponent < 0 ? "" : "+"}${exponent}`;
}

/** %x of a finite number that is not negative: 0x1.8p+00, with as many hexadecimal digits as it needs or `digits`. */
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
