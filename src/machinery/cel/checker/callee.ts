import type { CallExpr, Expr, Reference } from "../ast.js";
import type { Overload } from "../functions/declaration.js";
import { type Declarations, findFunction } from "./declarations.js";
import { qualifiedName } from "./qualified-name.js";

/** What a call calls. */
export interface Callee {
  /** With its namespace: `sets.contains`. */
  readonly name: string;
  /** Those that the checker has left, or all. */
  readonly overloads: readonly Overload[];
  /** With the target of a member function first; a namespace is no argument. */
  readonly args: readonly Expr[];
}

/** Finds the function of a call, by what the checker found out where it has looked at the expression. */
export function findCallee(
  declarations: Declarations,
  references: ReadonlyMap<number, Reference> | undefined,
  node: CallExpr,
): Callee {
  const reference = references?.get(node.id);
  const left = reference?.kind === "function" ? new Set(reference.overloads) : undefined;
  const choose = (name: string, args: readonly Expr[], member: boolean): Callee => {
    const declared = findFunction(declarations, name);
    const overloads = (declared?.overloads ?? []).filter(
      (overload) => (overload.member ?? false) === member && (left?.has(overload.id) ?? true),
    );
    return { name: declared?.name ?? node.name, overloads, args };
  };
  if (node.target === undefined) return choose(node.name, node.args, false);
  const prefix = qualifiedName(node.target);
  const namespaced = prefix === undefined ? undefined : `${prefix}.${node.name}`;
  if (namespaced !== undefined && findFunction(declarations, namespaced) !== undefined) {
    return choose(namespaced, node.args, false);
  }
  return choose(node.name, [node.target, ...node.args], true);
}
