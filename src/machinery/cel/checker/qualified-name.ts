import type { Expr } from "../ast.js";

/** The text of a chain of names (`a.b.c`), which may be one name of a namespace; undefined for everything else. */
export function qualifiedName(node: Expr): string | undefined {
  if (node.kind === "ident") return node.name;
  if (node.kind !== "select" || node.testOnly) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
