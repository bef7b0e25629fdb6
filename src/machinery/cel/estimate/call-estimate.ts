import type { Expr } from "../ast.js";
import type { Type } from "../types/type.js";

/** A node in a cost estimate: an argument of a call, or a value inside of one. */
export interface EstimatedNode {
  /** The way from a variable to it: the variable, names of fields, "@items", "@keys" and "@values"; empty: there is none. */
  readonly path: readonly string[];
  readonly type: Type;
  /** undefined for what is inside of an argument. */
  readonly expr: Expr | undefined;
  /** Of characters, bytes, elements or entries, where something is known of it. */
  readonly size: Range | undefined;
}

/** A call whose cost is estimated. */
export interface EstimatedCall {
  readonly name: string;
  readonly overload: string;
  /** The arguments, the target of a member function first. */
  readonly args: readonly EstimatedNode[];
  /** The size of an argument, or of what is inside of one; anything where it is not known. */
  readonly sizeOf: (node: EstimatedNode | undefined) => Range;
  /** What a list holds; undefined for what is no list. */
  readonly elementOf: (list: EstimatedNode) => EstimatedNode | undefined;
}

export interface CallEstimate {
  /** Without what the arguments cost. */
  readonly cost: Range;
  /** Of a string, of bytes, of a list or of a map that the call makes, where it is known. */
  readonly resultSize?: Range | undefined;
}

/** Estimates the least and the largest cost of a call; undefined for the default cost. */
export type EstimateCall = (call: EstimatedCall) => CallEstimate | undefined;

/** The least and the largest value of a size, or of a cost in cel-go's units. */
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

/** Multiplies a range by a factor, and rounds up. */
export function scaled(range: Range, factor: number): Range {
  return { min: Math.min(Math.ceil(range.min * factor), MOST), max: Math.min(Math.ceil(range.max * factor), MOST) };
}

/** Returns the smallest range that includes both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
