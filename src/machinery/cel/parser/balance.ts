import type { Expr } from "../ast.js";

/**
 * Makes a tree of a chain of `&&` or `||` that is as flat as can be: a rule of a thousand terms is ten levels deep. The terms keep
 * their order. `ids` are those of the operators between them.
 */
export function balanceLogic(
  terms: readonly Expr[],
  ids: readonly number[],
  join: (id: number, left: Expr, right: Expr) => Expr,
): Expr {
  const tree = (low: number, high: number): Expr => {
    const middle = (low + high + 1) >> 1;
    const left = middle === low ? (terms[middle] as Expr) : tree(low, middle - 1);
    const right = middle === high ? (terms[middle + 1] as Expr) : tree(middle + 1, high);
    return join(ids[middle] as number, left, right);
  };
  return ids.length === 0 ? (terms[0] as Expr) : tree(0, ids.length - 1);
}
