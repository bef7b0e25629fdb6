import type { NodeOptions } from "./start-nodes.js";

/** Each has a block of 256 addresses of 10.244.0.0/16. */
const MOST_NODES = 256;

/** Throws for nodes that cannot be: before anything is opened. */
export function checkNodes(nodes: readonly NodeOptions[]): void {
  if (nodes.length > MOST_NODES) throw new Error(`a cluster has at most ${MOST_NODES} nodes, not ${nodes.length}`);
  for (const [index, { name }] of nodes.entries()) {
    if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) {
      throw new Error(`${JSON.stringify(name)} is no name of a node: use lower case letters, digits, "-" and "."`);
    }
    if (nodes.findIndex((one) => one.name === name) !== index)
      throw new Error(`two nodes are named ${JSON.stringify(name)}`);
  }
}
