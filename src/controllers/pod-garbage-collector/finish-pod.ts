import type { FieldsOf } from "../../machinery/meta/received.js";
import type { PodStatus, Pod, PodCondition } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { isOver } from "../owned-pods/pod-state.js";
import { formatTime } from "../../machinery/meta/time.js";

export interface FinishPodParts {
  /** As a user who may write the status of pods and delete them. */
  readonly client: Pick<KubernetesClient, "of">;
  readonly clock: Clock;
}

/**
 * Removes a pod that no kubelet runs any more. A pod that has not ended is marked as failed first, with `message` as the reason of
 * its disruption, so that its controller counts it as failed. A pod that was deleted or recreated is not touched.
 */
export async function finishPod(
  pod: Pod,
  message: string | undefined,
  { client, clock }: FinishPodParts,
): Promise<void> {
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const resource = client.of("v1", "Pod").namespace(namespace);
  try {
    if (!isOver(pod)) {
      const condition = message && disruptionTarget(pod, "DeletionByPodGC", message, clock.now());
      const status = {
        phase: "Failed" as const,
        ...(condition && ({ conditions: [condition] } satisfies FieldsOf<PodStatus>)),
      } satisfies FieldsOf<PodStatus>;
      await resource.patchStatus(name, { metadata: { uid }, status }, { type: "strategic" });
    }
    await resource.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** The message in the condition of a pod whose Node does not exist. */
export const NODE_IS_GONE = "PodGC: node no longer exists";

/** Makes the condition that tells why the cluster ends a pod. `now` in milliseconds. */
export function disruptionTarget(pod: Pod, reason: string, message: string, now: number): PodCondition {
  const known = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  const { generation = 0 } = pod.metadata ?? {};
  return {
    type: "DisruptionTarget",
    status: "True",
    ...(generation > 0 && ({ observedGeneration: generation } satisfies FieldsOf<PodCondition>)),
    reason,
    message,
    lastProbeTime: null,
    lastTransitionTime: (known?.status === "True" && known.lastTransitionTime) || formatTime(now),
  };
}
