import type { NodeInfo } from "./node-info.js";
import type { PodInfo } from "./pod-info.js";

/** The numbers of some class of pods per node. */
export interface PodCounts {
  on(node: NodeInfo): number;
}

/**
 * Counts the pods of nodes for which `matches` is true, and remembers the counts of nodes that have not changed since: between two pods of a
 * Deployment only one node has. What `matches` says of a pod may never change.
 */
export function countedPods(matches: (info: PodInfo) => boolean): PodCounts {
  // By the nodes' slots.
  const generations: number[] = [];
  const counts: number[] = [];
  const plain = plainCounts(matches);
  return {
    on(node) {
      const { slot, generation } = node;
      if (slot < 0) return plain.on(node);
      if (generations[slot] !== generation) {
        counts[slot] = plain.on(node);
        generations[slot] = generation;
      }
      return counts[slot] ?? 0;
    },
  };
}

/** Counts the pods of a node without a cache. */
export function plainCounts(matches: (info: PodInfo) => boolean): PodCounts {
  return {
    on({ pods }) {
      let count = 0;
      for (const info of pods.values()) if (matches(info)) count++;
      return count;
    },
  };
}
