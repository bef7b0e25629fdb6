import type { Deployment, ReplicaSet } from "../../api/types/apps/v1.js";
import { scaledValue } from "../owned-pods/scaled-value.js";
import { sizeOf, totalSize } from "./replica-sets.js";

/** How many pods a Deployment asks for. */
export const wantedReplicas = ({ spec }: Deployment): number => spec?.replicas ?? 1;

export const isRolling = ({ spec }: Deployment): boolean => spec?.strategy?.type !== "Recreate";

/**
 * How many pods more, and how many fewer, than wanted there may be. A surge is rounded up and unavailability down; where both
 * come to nothing, one pod may be unavailable.
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

/** The size that the set of the current template may have now, where `all` has every set, this one too. */
export function newSetSize(deployment: Deployment, all: readonly ReplicaSet[], newSet: ReplicaSet): number {
  const wanted = wantedReplicas(deployment);
  if (!isRolling(deployment)) return wanted;
  const room = wanted + fenceposts(deployment).surge - totalSize(all);
  const size = sizeOf(newSet);
  return room <= 0 ? size : size + Math.min(room, wanted - size);
}
