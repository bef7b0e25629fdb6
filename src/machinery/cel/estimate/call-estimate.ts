import type { Expr } from "../ast.js";
import type { Type } from "../types/type.js";
import type { Range } from "./range.js";

/** What an estimate is made of: an argument of a call, or what is inside of one. */
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

/** Estimates what a call costs at most and at least; undefined: it costs what it does anyway. */
export type EstimateCall = (call: EstimatedCall) => CallEstimate | undefined;
