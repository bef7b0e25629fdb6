/** Powers of 1024 with Ki, Mi...; powers of 1000 with k, M...; or e3, e6... */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

export interface SuffixMeaning {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const DECIMAL: Readonly<Record<string, number>> = {
  __proto__: null as never,
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
};

const BINARY: Readonly<Record<string, number>> = {
  __proto__: null as never,
  Ki: 10,
  Mi: 20,
  Gi: 30,
  Ti: 40,
  Pi: 50,
  Ei: 60,
};

const DECIMAL_BY_EXPONENT = new Map(Object.entries(DECIMAL).map(([suffix, exponent]) => [exponent, suffix]));
const BINARY_BY_EXPONENT = new Map(Object.entries(BINARY).map(([suffix, exponent]) => [exponent, suffix]));

/** undefined for what is no suffix. */
export function interpretSuffix(suffix: string): SuffixMeaning | undefined {
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
export function decimalSuffix(exponent: number, format: "DecimalSI" | "DecimalExponent"): string {
  if (format === "DecimalSI") return DECIMAL_BY_EXPONENT.get(exponent) ?? "";
  return exponent === 0 ? "" : `e${exponent}`;
}

export function binarySuffix(exponent: number): string {
  return BINARY_BY_EXPONENT.get(exponent) ?? "";
}
