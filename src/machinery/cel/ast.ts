import type { Type } from "./types/type.js";
import type { Value } from "./values/value.js";
import { append } from "../../base/collections/append.js";

/** A node of an expression. Macros are expanded: what is left of `all` is a comprehension. */
export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr
  | InvalidExpr;

interface Node {
  /** Unique in the expression; positions, types and references are kept by it. */
  readonly id: number;
}

export interface LiteralExpr extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

export interface IdentExpr extends Node {
  readonly kind: "ident";
  readonly name: string;
}

export interface SelectExpr extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly testOnly: boolean;
}

/** A call of a function or an operator (`_+_`). */
export interface CallExpr extends Node {
  readonly kind: "call";
  readonly name: string;
  /** What a member function is called on. */
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: "list";
  readonly elements: readonly Expr[];
  /** Which elements are `[?x]`: left out when `x` has no value. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface FieldEntry extends Node {
  readonly field: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly typeName: string;
  readonly fields: readonly FieldEntry[];
}

/** A loop over a list or the keys of a map: `accumulator = init; for (v of range) { if (!condition) break; accumulator = step }; result`. */
export interface ComprehensionExpr extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  /** An element, or a key; with a second variable, an index or a key. */
  readonly variable: string;
  /** An element, or a key's value. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** A node at the place where the parser found an error. */
export interface InvalidExpr extends Node {
  readonly kind: "invalid";
}

/** The meaning that the checker found for an identifier or a call. */
export type Reference =
  | { readonly kind: "ident"; readonly name: string; readonly value?: Value }
  | { readonly kind: "function"; readonly overloads: readonly string[] };

/** A parsed expression; after the check also the types and meanings of its nodes. */
export interface Ast {
  readonly root: Expr;
  readonly source: string;
  /** Offsets of nodes in code points. */
  readonly positions: ReadonlyMap<number, number>;
  /** For a node that a macro became, the call that was written. */
  readonly macroCalls: ReadonlyMap<number, CallExpr>;
}

/** An expression that the checker has accepted. */
export interface CheckedAst extends Ast {
  /** The types of nodes by their ids. Nodes whose type is not known are `dyn`. */
  readonly types: ReadonlyMap<number, Type>;
  readonly references: ReadonlyMap<number, Reference>;
  /** The type of the expression. */
  readonly type: Type;
}

/** The nodes directly below a node, in source order; those of a macro are the ones of its expansion. */
export function childrenOf(node: Expr): readonly Expr[] {
  switch (node.kind) {
    case "select":
      return [node.operand];
    case "call":
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case "list":
      return node.elements;
    case "map":
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return node.fields.map(({ value }) => value);
    case "comprehension":
      return [node.range, node.init, node.condition, node.step, node.result];
    case "literal":
    case "ident":
    case "invalid":
      return [];
  }
}

/** Iterates over a node and all nodes below it. */
export function* walk(node: Expr): Generator<Expr> {
  const open: Expr[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    append(open, childrenOf(next).toReversed());
  }
}
