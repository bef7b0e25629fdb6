/** Fewer feasible nodes are never enough. */
const MIN_FEASIBLE_NODES = 100;
/** The least share of nodes that the adaptive percentage comes to. */
const MIN_PERCENTAGE = 5;

/**
 * After how many feasible nodes a cycle looks no further. `percentage` 0 adapts to the size of the cluster: 50 % less one for every 125
 * nodes, at least 5 %. At least 100 nodes, all of a smaller cluster.
 */
export function feasibleNodesToFind(percentage: number, nodeCount: number): number {
  if (nodeCount < MIN_FEASIBLE_NODES) return nodeCount;
  const share = percentage > 0 ? percentage : Math.max(50 - Math.trunc(nodeCount / 125), MIN_PERCENTAGE);
  return Math.max(MIN_FEASIBLE_NODES, Math.trunc((nodeCount * share) / 100));
}
