import type { Node } from "./node.js";

/**
 * Whether two nodes are alike in everything, also in how they are written and where they were read: a value that was replaced by
 * an equal one is another.
 */
export function sameNode(a: Node | undefined, b: Node | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.kind === b.kind &&
    a.tag === b.tag &&
    a.value === b.value &&
    a.style === b.style &&
    a.place === b.place &&
    a.items.length === b.items.length &&
    a.items.every((item, index) => sameNode(item, b.items[index])) &&
    a.pairs.length === b.pairs.length &&
    a.pairs.every(([key, value], index) => {
      const other = b.pairs[index];
      return other !== undefined && sameNode(key, other[0]) && sameNode(value, other[1]);
    })
  );
}
