import type { FieldsOf } from "../machinery/meta/received.js";
import type { Pod, PodCondition } from "../api/types/core/v1.js";
import type { Clock } from "../base/time/clock.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { isConflict, isNotFound } from "../machinery/errors/status-error.js";
import { formatTime } from "../machinery/meta/time.js";

/** The part of a pod's status that the scheduler writes; undefined leaves a field unchanged. */
export interface PodReport {
  readonly condition?: Pick<PodCondition, "type" | "status" | "reason" | "message">;
  /** "" takes the nomination away. */
  readonly nominatedNode?: string | undefined;
}

export interface PodStatusParts {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Writes the report where it differs from the pod's status. Does nothing for a pod that was deleted or recreated. */
export async function reportPod({ client, clock, signal }: PodStatusParts, pod: Pod, report: PodReport): Promise<void> {
  const status = statusPatch(pod, report, clock.now());
  if (status === undefined) return;
  const { namespace = "", name = "", uid } = pod.metadata ?? {};
  try {
    const pods = client.of("v1", "Pod").namespace(namespace);
    await pods.patchStatus(name, { metadata: { uid }, status }, { type: "strategic", signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Makes the strategic merge patch of a pod's status; undefined when nothing changes. `now` is in milliseconds since the Unix epoch. */
export function statusPatch(pod: Pod, { condition, nominatedNode }: PodReport, now: number) {
  const patch: { conditions?: PodCondition[]; nominatedNodeName?: string | null } = {};
  const known = pod.status?.conditions?.find(({ type }) => type === condition?.type);
  const generation = pod.metadata?.generation ?? 0;
  if (condition !== undefined) {
    const lastTransitionTime =
      known?.status === condition.status && known.lastTransitionTime ? known.lastTransitionTime : formatTime(now);
    const next: PodCondition = {
      ...condition,
      ...(generation > 0 && ({ observedGeneration: generation } satisfies FieldsOf<PodCondition>)),
      lastProbeTime: null,
      lastTransitionTime,
    };
    if (!isSame(known, next)) patch.conditions = [next];
  }
  const nominated = pod.status?.nominatedNodeName ?? "";
  if (nominatedNode !== undefined && nominatedNode !== nominated) patch.nominatedNodeName = nominatedNode || null;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isSame(known: PodCondition | undefined, next: PodCondition): boolean {
  return (
    known?.status === next.status &&
    known.reason === next.reason &&
    known.message === next.message &&
    known.observedGeneration === next.observedGeneration
  );
}
