import type { Pod } from "../../api/types/core/v1.js";

export interface Waiting {
  readonly reason: "WaitForFirstConsumer" | "WaitForPodScheduled";
  readonly message: string;
}

/** What a claim of a class that waits for its first consumer waits for, given the pods that use it. */
export function waitsFor(pods: readonly Pod[]): Waiting {
  const names = pods
    .filter(({ spec }) => (spec?.nodeName ?? "") === "")
    .map(({ metadata }) => metadata?.name ?? "")
    .toSorted();
  if (names.length === 0) {
    return { reason: "WaitForFirstConsumer", message: "waiting for first consumer to be created before binding" };
  }
  const message = `waiting for pod${names.length > 1 ? "s" : ""} ${names.join(",")} to be scheduled`;
  return { reason: "WaitForPodScheduled", message };
}
