import type { DaemonSetStatus } from "../../api/types/apps/v1.js";
import { isAvailable, isReady } from "../owned-pods/pod-state.js";
import { fitOn, isUpdated, oldestFirst } from "./daemon-pod.js";
import type { DaemonState } from "./manage.js";

/** What the nodes make of a set. `observed`: whether the controller has acted on the set as it is now. */
export function daemonSetStatus({ set, nodes, podsOn, hash, now }: DaemonState, observed: boolean): DaemonSetStatus {
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const [pod] = oldestFirst(podsOn.get(node.metadata?.name ?? "") ?? []);
    if (!fitOn(set, node).mayRun) {
      if (pod !== undefined) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (pod === undefined) continue;
    counts.current++;
    if (isReady(pod)) counts.ready++;
    if (isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)) counts.available++;
    if (isUpdated(set, pod, hash)) counts.updated++;
  }
  const { observedGeneration = 0, collisionCount, conditions } = set.status ?? {};
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...positive("observedGeneration", observed ? (set.metadata?.generation ?? 0) : observedGeneration),
    ...positive("updatedNumberScheduled", counts.updated),
    ...positive("numberAvailable", counts.available),
    ...positive("numberUnavailable", counts.desired - counts.available),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions && { conditions }),
  };
}

const positive = (field: keyof DaemonSetStatus, count: number): Partial<DaemonSetStatus> =>
  count === 0 ? {} : { [field]: count };
