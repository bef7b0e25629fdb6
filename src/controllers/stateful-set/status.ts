import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Release } from "../../api/facts/index.js";
import type { StatefulSet, StatefulSetStatus } from "../../api/types/apps/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { revisionOf, wantedReplicas } from "./identity.js";
import { isAvailable, isReady } from "../owned-pods/pod-state.js";

export interface ObservedSet {
  readonly pods: readonly Pod[];
  /** Names of revisions. */
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number;
  /** How many pods of the current revision were just deleted to be replaced. */
  readonly outdated: number;
  readonly release: Pick<Release, "atLeast">;
  /** In milliseconds. */
  readonly now: number;
}

/** Computes the status of a StatefulSet. Counts of 0 are left out where Kubernetes omits them. */
export function statefulSetStatus(set: StatefulSet, observed: ObservedSet): StatefulSetStatus {
  const { pods, current, update, collisionCount, outdated, release, now } = observed;
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const created = pods.filter(isCreated);
  const staying = created.filter((pod) => !isBeingDeleted(pod));
  const ofRevision = (name: string): number => staying.filter((pod) => revisionOf(pod) === name).length;
  const ready = pods.filter(isRunningAndReady);
  const counts = {
    replicas: created.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isRunningAndAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: ofRevision(current) - outdated,
    updatedReplicas: ofRevision(update),
  };
  // K37-141: Kubernetes 1.36 never ends an update whose pods users delete.
  const mayEnd = release.atLeast("1.37") || set.spec?.updateStrategy?.type !== "OnDelete";
  const isDone = mayEnd && isUpdated(set, counts);
  const { conditions } = set.status ?? {};
  return {
    ...positive("observedGeneration", set.metadata?.generation ?? 0),
    replicas: counts.replicas,
    ...positive("readyReplicas", counts.readyReplicas),
    ...positive("currentReplicas", isDone ? counts.updatedReplicas : counts.currentReplicas),
    ...positive("updatedReplicas", counts.updatedReplicas),
    currentRevision: isDone ? update : current,
    updateRevision: update,
    collisionCount,
    ...(conditions && ({ conditions } satisfies FieldsOf<StatefulSetStatus>)),
    availableReplicas: counts.availableReplicas,
  };
}

/** Whether an update is complete: from then on the updated revision is the current one. */
function isUpdated(
  set: StatefulSet,
  counts: { readonly replicas: number; readonly readyReplicas: number; readonly updatedReplicas: number },
): boolean {
  const wanted = wantedReplicas(set);
  return counts.updatedReplicas === wanted && counts.readyReplicas === wanted && counts.replicas === wanted;
}

const positive = (field: keyof StatefulSetStatus, count: number): Partial<StatefulSetStatus> =>
  count === 0 ? {} : { [field]: count };

/** Whether the server has the pod. */
export const isCreated = ({ status }: Pod): boolean => (status?.phase ?? "") !== "";

export const isBeingDeleted = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);

/** Whether the pod has been ready for the minimum time. `now` in milliseconds. */
export const isRunningAndAvailable = (pod: Pod, minReadySeconds: number, now: number): boolean =>
  isRunningAndReady(pod) && isAvailable(pod, minReadySeconds, now);
