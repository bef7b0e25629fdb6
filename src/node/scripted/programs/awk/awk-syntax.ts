import { ProgramFailure } from "../gnu-program.js";
import type { PosixRegexp } from "../posix-regexp.js";
import type { Value } from "./awk-format.js";

/** The program has a syntax error, or does something forbidden. */
export class AwkError extends ProgramFailure {
  constructor(message: string) {
    super(message, 2);
  }
}

/** The place of a variable: among the program's variables, or among those of the running function. */
export interface NameRef {
  readonly isLocal: boolean;
  readonly slot: number;
}

/** An expression. `kids` are its parts; the first part of an assignment is its target. */
export interface Expression {
  readonly kind:
    | "value"
    | "regexp"
    | "name"
    | "field"
    | "element"
    | "assign"
    | "increment"
    | "cond"
    | "and"
    | "or"
    | "in"
    | "match"
    | "compare"
    | "arithmetic"
    | "concat"
    | "negate"
    | "plus"
    | "not"
    | "call"
    | "builtin"
    | "getline"
    | "grouping";
  readonly kids: readonly Expression[];
  /** An operator, or a built-in function's name; else empty. */
  readonly op: string;
  readonly value?: Value;
  readonly regexp?: PosixRegexp;
  /** Of a name, an array or an assignment's target. */
  readonly ref?: NameRef;
  /** The function that is called, by its index. */
  readonly callee?: number;
  /** Where a line is read from. */
  readonly source?: "input" | "file" | "command";
  /** It calls no function and reads nothing, so that its value is there at once. */
  readonly isPure: boolean;
  readonly depth: number;
}

export type Statement =
  | { readonly kind: "expression"; readonly expression: Expression }
  | {
      readonly kind: "print";
      readonly formatted: boolean;
      readonly args: readonly Expression[];
      readonly to: { readonly op: ">" | ">>" | "|"; readonly target: Expression } | undefined;
    }
  | { readonly kind: "block"; readonly body: readonly Statement[] }
  | {
      readonly kind: "if";
      readonly condition: Expression;
      readonly whenTrue: Statement;
      readonly otherwise: Statement | undefined;
    }
  | { readonly kind: "while"; readonly condition: Expression; readonly body: Statement; readonly testsLast: boolean }
  | {
      readonly kind: "for";
      readonly first: Statement | undefined;
      readonly condition: Expression | undefined;
      readonly step: Statement | undefined;
      readonly body: Statement;
    }
  | { readonly kind: "forIn"; readonly name: NameRef; readonly array: NameRef; readonly body: Statement }
  | { readonly kind: "delete"; readonly array: NameRef; readonly subscripts: readonly Expression[] }
  | { readonly kind: "exit" | "return"; readonly expression: Expression | undefined }
  | { readonly kind: "next" | "nextfile" | "break" | "continue" };

export interface Rule {
  /** None: every line. Two: from a line that the first matches to one that the second matches. */
  readonly patterns: readonly Expression[];
  /** Undefined: the line is printed. */
  readonly action: Statement | undefined;
}

export interface AwkFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Which parameters are arrays, by their places. */
  readonly arrays: Set<number>;
  body: Statement | undefined;
}

export interface AwkProgram {
  readonly begin: readonly Statement[];
  readonly rules: readonly Rule[];
  readonly end: readonly Statement[];
  readonly functions: readonly AwkFunction[];
  /** Where each variable lies. */
  readonly slots: ReadonlyMap<string, number>;
}

/** Variables that awk itself reads or writes, in the order of their slots. */
export const SPECIAL = [
  "NF",
  "NR",
  "FNR",
  "FS",
  "OFS",
  "ORS",
  "RS",
  "FILENAME",
  "SUBSEP",
  "CONVFMT",
  "OFMT",
  "RSTART",
  "RLENGTH",
  "ARGC",
  "ARGV",
  "ENVIRON",
] as const;

export const slotOf = (name: (typeof SPECIAL)[number]): number => SPECIAL.indexOf(name);
