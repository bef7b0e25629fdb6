import type { Pod, PodCondition } from "../../api/types/core/v1.js";
import { formatTime } from "../../machinery/meta/time.js";

/** Why the cluster ends a pod. `now` in milliseconds. */
export function disruptionTarget(pod: Pod, reason: string, message: string, now: number): PodCondition {
  const known = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  const { generation = 0 } = pod.metadata ?? {};
  return {
    type: "DisruptionTarget",
    status: "True",
    ...(generation > 0 && { observedGeneration: generation }),
    reason,
    message,
    lastProbeTime: null,
    lastTransitionTime: (known?.status === "True" && known.lastTransitionTime) || formatTime(now),
  };
}
