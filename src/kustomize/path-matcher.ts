import { elements, field, isListIndex, kindBefore, setField, splitListIndex } from "./fields.js";
import { goPattern } from "../machinery/text/go/go-pattern.js";
import { mappingNode, Node, type NodeKind, scalarNode } from "./nodes/node.js";
import { nodeText } from "./nodes/node-text.js";
import { parseNode } from "./nodes/read-nodes.js";

/**
 * Finds all nodes that a path matches: names, list positions, "*" for every element, "[name=pattern]" for matching ones. With
 * `create` it creates missing parts, the last one with that kind; undefined when the path matches nothing.
 */
export function matchPath(
  node: Node | undefined,
  [part, ...rest]: readonly string[],
  create: NodeKind | undefined,
): readonly Node[] | undefined {
  if (part === undefined) return node === undefined ? [] : [node];
  if (/^\+?\d+$/.test(part)) return atIndex(node, part, rest, create);
  if (isListIndex(part)) return matching(node, part, rest, create);
  if (part === "*") {
    const found = elements(node).flatMap((item) => matchPath(item, rest, create) ?? []);
    return found.length === 0 ? undefined : found;
  }
  return inField(node, part, rest, create);
}

function inField(
  node: Node | undefined,
  part: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): readonly Node[] | undefined {
  let found = field(node, part);
  if (found === undefined) {
    if (create === undefined || node === undefined) return undefined;
    found = setField(node, part, new Node(kindBefore(rest[0] ?? "", create))) ?? new Node("none");
  }
  if (found.kind === "scalar" && rest.length > 0) return matchPath(parseNode(found.value), rest, create);
  return matchPath(found, rest, create);
}

function atIndex(
  node: Node | undefined,
  part: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): readonly Node[] | undefined {
  const index = Number(part);
  const items = elements(node);
  if (items.length === index && create !== undefined && node !== undefined) {
    node.items.push(new Node(kindBefore(rest[0] ?? "", create)));
  }
  const item = elements(node)[index];
  if (item === undefined) throw new Error(`index ${index} specified but only ${items.length} elements found`);
  return matchPath(item, rest, create);
}

function matching(
  node: Node | undefined,
  part: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): readonly Node[] | undefined {
  const [name, source] = splitListIndex(part);
  const items = elements(node);
  const pattern = items.length === 0 ? undefined : goPattern(source);
  const found = items.flatMap((item) => {
    const value = name === "" ? item : item.kind === "mapping" ? item.get(name) : undefined;
    if (value === undefined || pattern?.test(nodeText(value).trim()) !== true) return [];
    return name === "" ? [item] : (matchPath(item, rest, create) ?? []);
  });
  if (found.length > 0) return found;
  if (create === undefined || node === undefined) return undefined;
  node.items.push(name === "" ? scalarNode(source) : mappingNode([name, scalarNode(source)]));
  return matching(node, part, rest, create);
}
