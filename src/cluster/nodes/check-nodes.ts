import type { NodeOptions } from "./start-nodes.js";

/** Each node has a block of 256 addresses, which it shares with no other. */
const MOST_NODES = 25_000;

/** Throws for nodes that cannot be: before anything is opened. */
export function checkNodes(nodes: readonly NodeOptions[]): void {
  if (nodes.length > MOST_NODES) throw new Error(`a cluster has at most ${MOST_NODES} nodes, not ${nodes.length}`);
  const names = new Set<string>();
  for (const { name } of nodes) {
    if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) {
      throw new Error(`${JSON.stringify(name)} is no name of a node: use lower case letters, digits, "-" and "."`);
    }
    if (names.has(name)) throw new Error(`two nodes are named ${JSON.stringify(name)}`);
    names.add(name);
  }
}
