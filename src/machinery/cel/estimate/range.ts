/** From the least to the most that a size, or a cost in cel-go's units, can be. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The largest uint64, which no sum and no product of ranges exceeds. */
export const MOST = 2 ** 64;

export const UNKNOWN: Range = { min: 0, max: MOST };
export const NONE: Range = { min: 0, max: 0 };
export const ONE: Range = { min: 1, max: 1 };

export function fixed(amount: number): Range {
  return { min: amount, max: amount };
}

export const sum = (...ranges: readonly Range[]): Range => sumOf(ranges);

/** {@link sum} of any number of ranges. */
export function sumOf(ranges: readonly Range[]): Range {
  let [min, max] = [0, 0];
  for (const range of ranges) {
    min += range.min;
    max += range.max;
  }
  return { min: Math.min(min, MOST), max: Math.min(max, MOST) };
}

export function product(a: Range, b: Range): Range {
  return { min: Math.min(a.min * b.min, MOST), max: Math.min(a.max * b.max, MOST) };
}

/** `range` times a factor, rounded up. */
export function scaled(range: Range, factor: number): Range {
  return { min: Math.min(Math.ceil(range.min * factor), MOST), max: Math.min(Math.ceil(range.max * factor), MOST) };
}

/** The range that both are in. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
