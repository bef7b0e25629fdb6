import type { PodCondition } from "../../../api/types/core/v1.js";
import { isConflict, isNotFound } from "../../../machinery/errors/status-error.js";
import { formatTime } from "../../../machinery/meta/time.js";
import type { PodInfo } from "../../cache/pod-info.js";
import type { SchedulerHandle } from "../../framework/handle.js";
import { DEFAULT_SCHEDULER } from "../../options.js";
import { PLUGIN } from "../names.js";

/** Deletes a pod to make room for `preemptor` on `node`; one that waits at permit is rejected instead. A pod that is gone is no error. */
export async function evict(handle: SchedulerHandle, victim: PodInfo, preemptor: PodInfo, node: string): Promise<void> {
  const { client, clock, recorder, signal } = handle;
  const { namespace, name, uid } = victim;
  if (!handle.rejectWaiting(uid, PLUGIN.defaultPreemption, "preempted")) {
    const pods = client.of("v1", "Pod").namespace(namespace);
    const conditions = [disruption(victim, preemptor, clock.now())];
    try {
      await pods.patchStatus(name, { metadata: { uid }, status: { conditions } }, { type: "strategic", signal });
      await pods.delete(name, { preconditions: { uid }, signal });
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
  }
  const message = `Preempted by pod ${preemptor.uid} on node ${node}`;
  recorder.event(victim.pod, "Normal", "Preempted", message, { action: "Preempting", related: preemptor.pod });
}

function disruption({ pod }: PodInfo, preemptor: PodInfo, now: number): PodCondition {
  const known = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  const { generation = 0 } = pod.metadata ?? {};
  const scheduler = preemptor.pod.spec?.schedulerName || DEFAULT_SCHEDULER;
  return {
    type: "DisruptionTarget",
    ...(generation > 0 && { observedGeneration: generation }),
    status: "True",
    reason: "PreemptionByScheduler",
    message: `${scheduler}: preempting to accommodate a higher priority pod`,
    lastProbeTime: null,
    lastTransitionTime: (known?.status === "True" ? known.lastTransitionTime : undefined) ?? formatTime(now),
  };
}
