import { tolerates } from "../../api/scheduling/taints.js";
import type { Taint, Toleration } from "../../api/types/core/v1.js";

/** The taints that end pods that already run. */
export function noExecuteTaints(taints: readonly Taint[] = []): readonly Taint[] {
  return taints.filter(({ effect }) => effect === "NoExecute");
}

/**
 * Milliseconds that a pod may stay on a node with these taints: 0 where one is not tolerated, Infinity where all are tolerated
 * for ever. Of the tolerations that match, the shortest counts.
 */
export function tolerationTime(taints: readonly Taint[], tolerations: readonly Toleration[] = []): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    // Of the tolerations of a taint the first counts.
    const matching = tolerations.find((toleration) => tolerates(toleration, taint));
    if (matching === undefined) return 0;
    shortest = Math.min(shortest, Math.max(0, matching.tolerationSeconds ?? Number.POSITIVE_INFINITY));
  }
  return shortest * 1000;
}

export type EvictionStep =
  | { readonly type: "keep" | "evict" }
  /** `at`: when the pod is evicted, in milliseconds. */
  | { readonly type: "wait"; readonly at: number };

/**
 * What to do with a pod whose tolerations last for `time`. `waiting` is the time of the deletion that waits: other tolerations
 * put it neither off nor forward while they end at all.
 */
export function evictionStep(time: number, waiting: number | undefined, now: number): EvictionStep {
  if (time === Number.POSITIVE_INFINITY) return { type: "keep" };
  if (time === 0 || (waiting !== undefined && waiting <= now)) return { type: "evict" };
  return { type: "wait", at: waiting ?? now + time };
}
