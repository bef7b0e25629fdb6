import type { EstimateCall } from "../estimate/call-estimate.js";
import type { Macro } from "../parser/macros.js";
import type { Type } from "../types/type.js";
import type { Value } from "../values/value.js";

/** One signature of a function, and its implementation. */
export interface Overload {
  /** cel-go's name of the signature. Cost rules and checked expressions refer to it. */
  readonly id: string;
  /** The types of the arguments, that of the target of a member function first. */
  readonly args: readonly Type[];
  readonly result: Type;
  /** Called on something: `x.f(y)`. */
  readonly member?: boolean;
  /** Errors are arguments too; without it a call with one of them is that error. */
  readonly nonStrict?: boolean;
  /** Takes lists and maps whatever is in them; else what comes first in them must be of the type that is declared. */
  readonly takesAnyElements?: boolean;
  /** Of optionals: the second argument is computed only when the first has no value, and is the result then. */
  readonly lazy?: boolean;
  /**
   * Computes the call. The arguments are of the types above, but for what the types of CEL do not say about lists and maps; it
   * answers an {@link ErrorValue} where it fails, and throws nothing. Work that grows with the arguments is paid for with `spendSteps`.
   */
  readonly call: Implementation;
  /** Computes the call when arguments are constants (undefined: they are not), so that a pattern is compiled once. May throw {@link ConstantError}. */
  specialize?(constants: readonly (Value | undefined)[]): Implementation | undefined;
  /** What the call cost, if it is not one of the costs of the standard library, and not 1. */
  cost?(args: readonly Value[], result: Value): number;
  /** What a call is estimated to cost before it runs, if that is not what the standard library says, nor 1. */
  readonly estimate?: EstimateCall;
}

/** The implementation of an overload; its parameters have the classes of the overload's types. */
export type Implementation = (...args: never[]) => Value;

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** A variable, or with a value a constant. */
export interface VariableDeclaration {
  readonly name: string;
  readonly type: Type;
  readonly value?: Value;
}

/** Functions, macros and variables that are added to an environment together. */
export interface Library {
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  readonly variables?: readonly VariableDeclaration[];
}

/** Thrown for a constant argument that no call accepts: the expression is refused before it runs. */
export class ConstantError extends Error {}

/** Makes the overload of a function that is called with all of its arguments in parentheses. */
export function globalOverload(id: string, args: readonly Type[], result: Type, call: Implementation): Overload {
  return { id, args, result, call };
}

/** Makes the overload of a function that is called on its first argument. */
export function memberOverload(id: string, args: readonly Type[], result: Type, call: Implementation): Overload {
  return { id, args, result, member: true, call };
}
