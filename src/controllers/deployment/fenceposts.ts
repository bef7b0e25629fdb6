import type { Deployment, ReplicaSet } from "../../api/types/apps/v1.js";
import { scaledValue } from "../owned-pods/scaled-value.js";
import { sizeOf, totalSize } from "./replica-sets.js";

/** The number of pods that a Deployment requests. */
export const wantedReplicas = ({ spec }: Deployment): number => spec?.replicas ?? 1;

export const isRolling = ({ spec }: Deployment): boolean => spec?.strategy?.type !== "Recreate";

/**
 * The number of pods that may exist above `replicas`, and that may be unavailable. maxSurge is rounded up and maxUnavailable down;
 * if both are 0, one pod may be unavailable.
 */
export function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const wanted = wantedReplicas(deployment);
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, wanted, "up");
  const unavailable = scaledValue(maxUnavailable, wanted, "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? fenceposts(deployment).surge : 0;
}

export function maxUnavailable(deployment: Deployment): number {
  const wanted = wantedReplicas(deployment);
  return isRolling(deployment) && wanted > 0 ? Math.min(fenceposts(deployment).unavailable, wanted) : 0;
}

/** The size to which the new ReplicaSet may be scaled now; `all` has every ReplicaSet, the new one included. */
export function newSetSize(deployment: Deployment, all: readonly ReplicaSet[], newSet: ReplicaSet): number {
  const wanted = wantedReplicas(deployment);
  if (!isRolling(deployment)) return wanted;
  const room = wanted + fenceposts(deployment).surge - totalSize(all);
  const size = sizeOf(newSet);
  return room <= 0 ? size : size + Math.min(room, wanted - size);
}
