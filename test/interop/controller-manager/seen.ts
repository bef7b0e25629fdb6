import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from "../../../src/api/types/apps/v1.js";
import type { PersistentVolumeClaim, Pod } from "../../../src/api/types/core/v1.js";
import type { ApiObject } from "../../../src/machinery/meta/object.js";

/** The objects of one namespace that controllers make or change. */
export interface Seen {
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly statefulSets: readonly StatefulSet[];
  readonly daemonSets: readonly DaemonSet[];
  readonly revisions: readonly ControllerRevision[];
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
}

/** All of them, each with its kind, which items of lists do not have. */
export function objectsOf({
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  revisions,
  pods: all,
  claims,
}: Seen): readonly ApiObject[] {
  const lists: readonly (readonly [string, readonly ApiObject[]])[] = [
    ["Deployment", deployments],
    ["ReplicaSet", replicaSets],
    ["StatefulSet", statefulSets],
    ["DaemonSet", daemonSets],
    ["ControllerRevision", revisions],
    ["PersistentVolumeClaim", claims],
    ["Pod", all],
  ];
  return lists.flatMap(([kind, list]) => list.map((object) => ({ ...object, kind })));
}

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;

/** Whether controllers have seen every workload's spec, and no pod is on its way out. */
export function isObserved(seen: Seen): boolean {
  const { deployments, replicaSets, statefulSets, daemonSets, pods } = seen;
  return (
    [...deployments, ...replicaSets, ...statefulSets, ...daemonSets].every(
      ({ metadata, status }) => status?.observedGeneration === metadata?.generation,
    ) && pods.every(({ metadata }) => metadata?.deletionTimestamp === undefined)
  );
}

/** Whether there are so many pods, and so many of them ready. */
export const pods =
  (count: number, ready: number) =>
  ({ pods: all }: Seen): boolean =>
    all.length === count && all.filter(isReady).length === ready;

/** Whether every workload has as many pods of its template as it wants, and no others, all available. */
export function isComplete({ deployments, replicaSets, statefulSets, daemonSets }: Seen): boolean {
  return (
    deployments.every(({ spec, status }) => {
      const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
      return counts.every((count) => (count ?? 0) === spec?.replicas);
    }) &&
    replicaSets.every(({ spec, status }) =>
      [status?.replicas, status?.availableReplicas].every((count) => (count ?? 0) === spec?.replicas),
    ) &&
    statefulSets.every(
      ({ spec, status }) =>
        [status?.replicas, status?.updatedReplicas, status?.readyReplicas].every(
          (count) => (count ?? 0) === spec?.replicas,
        ) && status?.currentRevision === status?.updateRevision,
    ) &&
    daemonSets.every(({ status }) =>
      [status?.updatedNumberScheduled, status?.numberAvailable].every(
        (count) => (count ?? 0) === status?.desiredNumberScheduled,
      ),
    )
  );
}
