import {
  isMissingOrNull,
  isString,
  mappingNode,
  Node,
  type NodeKind,
  scalarNode,
  valueOf,
  isYaml11NonString,
} from "./nodes/node.js";
import { nodeText } from "./nodes/node-text.js";

const KIND_NAMES: Readonly<Record<NodeKind, string>> = {
  none: "",
  scalar: "ScalarNode",
  sequence: "SequenceNode",
  mapping: "MappingNode",
};

/** Thrown when a node has another kind than an operation requires. */
export class NodeKindError extends Error {
  readonly actual: NodeKind;

  constructor(expected: NodeKind, node: Node) {
    super(
      `wrong node kind: expected ${KIND_NAMES[expected]} but got ${KIND_NAMES[node.kind]}: node contents:\n${nodeText(node)}`,
    );
    this.actual = node.kind;
  }
}

/** Throws a NodeKindError for a node of another kind. A missing node and null pass. */
export function requireKind(node: Node | undefined, kind: NodeKind): void {
  if (node === undefined || isMissingOrNull(node)) return;
  if (node.kind !== kind) throw new NodeKindError(kind, node);
}

/** Returns a field of a mapping, or undefined; throws for another node. */
export function field(node: Node | undefined, name: string): Node | undefined {
  if (node === undefined || isMissingOrNull(node)) return undefined;
  requireKind(node, "mapping");
  return node.get(name);
}

/** Sets or replaces a pair, key and all. */
export function setEntry(node: Node, key: Node, value: Node): void {
  const at = node.pairs.findIndex(([existing]) => existing.value === valueOf(key));
  if (at >= 0) node.pairs[at] = [key, value];
  else node.pairs.push([key, value]);
}

/** Text that a reader would take for something else is quoted, when nothing says how it is to be written. */
function protect(value: Node): void {
  if (isString(value) && value.style === "" && isYaml11NonString(value.value)) value.style = "double";
}

/** Sets the value of a scalar and keeps its style. A null is left unchanged. */
export function setScalar(node: Node, value: Node): void {
  protect(value);
  requireKind(node, "scalar");
  if (isMissingOrNull(value)) return;
  value.style = node.style;
  node.become(value);
}

/**
 * Sets a member: an existing node takes over the value and keeps its style and place; otherwise the value itself is inserted, not
 * a copy. A null removes the member.
 */
export function setField(node: Node, name: string, value: Node | undefined): Node | undefined {
  if (value !== undefined) protect(value);
  if (value === undefined || (value.tag === "!!null" && !value.kept)) {
    requireKind(node, "mapping");
    node.remove(name);
    return undefined;
  }
  const existing = field(node, name);
  if (existing !== undefined) {
    value.style = existing.style;
    existing.become(value);
    return existing;
  }
  node.pairs.push([scalarNode(name), value]);
  return value;
}

const isIndex = (part: string): boolean => /^\+?\d+$/.test(part);
export const isListIndex = (part: string): boolean => part.startsWith("[") && part.endsWith("]");

/** Splits "[name=web]" into "name" and "web". */
export function splitListIndex(part: string): readonly [string, string] {
  const inner = part.replace(/\]$/, "").replace(/^\[/, "");
  const at = inner.indexOf("=");
  if (at < 0) {
    throw new Error("list path element must contain fieldName=fieldValue for element to match");
  }
  return [inner.slice(0, at), inner.slice(at + 1)];
}

/** The kind of node that a part of a path must lead to, given the part that follows it; `last` after the last part. */
export function kindBefore(nextPart: string, last: NodeKind): NodeKind {
  if (isListIndex(nextPart) || isIndex(nextPart)) return "sequence";
  return nextPart === "" ? last : "mapping";
}

/**
 * Finds the node at a path: names, list positions, "-" for the last element, "[name=value]". With `create`, missing nodes are
 * created along the path, the last one with that kind.
 */
export function lookup(start: Node | undefined, path: readonly string[], create?: NodeKind): Node | undefined {
  const parts = path.map((part) => part.trim()).filter((part) => part !== "");
  let node: Node | undefined = start;
  for (const [index, part] of parts.entries()) {
    if (node === undefined) return undefined;
    node = step(node, part, parts[index + 1] ?? "", create);
  }
  return node;
}

function step(node: Node, part: string, next: string, create: NodeKind | undefined): Node | undefined {
  if (/^[-+]?\d+$/.test(part)) {
    const index = Number(part);
    if (index < 0) throw new Error(`array index ${index} cannot be negative`);
    return elements(node)[index];
  }
  if (part === "-") return elements(node).at(-1);
  if (part === "*") throw new Error("wildcard is not supported in PathGetter");
  if (isListIndex(part)) return matchingElement(node, part, create);
  const found = field(node, part);
  if (found !== undefined || create === undefined || isMissingOrNull(node)) return found;
  return setField(node, part, new Node(kindBefore(next, create)));
}

function matchingElement(node: Node, part: string, create: NodeKind | undefined): Node | undefined {
  const [name, value] = splitListIndex(part);
  const found = name === "" ? elements(node).find((item) => item.value === value) : elementOf(node, [name], [value]);
  if (found !== undefined || create === undefined) return found;
  const made = name === "" ? scalarNode(value) : mappingNode([name, scalarNode(value)]);
  node.items.push(made);
  return made;
}

export function elements(node: Node | undefined): readonly Node[] {
  requireKind(node, "sequence");
  return node?.items ?? [];
}

/** Finds the first mapping of a list whose members have these values. */
export function elementOf(list: Node, keys: readonly string[], values: readonly string[]): Node | undefined {
  return elements(list).find(
    (item) => item.kind === "mapping" && keys.every((key, index) => item.get(key)?.value === values[index]),
  );
}
