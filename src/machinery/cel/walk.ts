import { append } from "../../base/collections/append.js";
import type { Expr } from "./ast.js";

/** The nodes right below a node, in the order in which they were written; a macro's are those of its expansion. */
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

/** A node and all below it. */
export function* walk(node: Expr): Generator<Expr> {
  const open: Expr[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    append(open, childrenOf(next).toReversed());
  }
}
