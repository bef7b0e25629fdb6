import type { Deployment, ReplicaSet } from "../../api/types/apps/v1.js";
import { desiredReplicas, maxReplicas } from "./annotations.js";
import { isRolling, maxSurge, maxUnavailable, wantedReplicas } from "./fenceposts.js";
import { allOf, byAge, compareAge, counted, type Generations, isScaledUp, sizeOf, totalSize } from "./replica-sets.js";

/** A set and the size that it gets. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly size: number;
}

/** Whether the Deployment's size changed since its sets got theirs. */
export function wasScaled(deployment: Deployment, generations: Generations): boolean {
  const wanted = wantedReplicas(deployment);
  return allOf(generations)
    .filter(isScaledUp)
    .some((set) => (desiredReplicas(set) ?? wanted) !== wanted);
}

/** Scales the ReplicaSets to the Deployment's size without a step of its rollout: several of them grow and shrink in proportion. */
export function scale(deployment: Deployment, generations: Generations): readonly Resize[] {
  const wanted = wantedReplicas(deployment);
  const active = allOf(generations).filter(isScaledUp);
  const { newSet, old } = generations;
  if (active.length <= 1) {
    const set = active[0] ?? newSet ?? byAge(old).at(-1);
    return set === undefined || sizeOf(set) === wanted ? [] : [{ set, size: wanted }];
  }
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return old.filter(isScaledUp).map((set) => ({ set, size: 0 }));
  }
  return isRolling(deployment) ? inProportion(deployment, active) : [];
}

function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const wanted = wantedReplicas(deployment);
  return sizeOf(set) === wanted && desiredReplicas(set) === wanted;
}

/** Every set in the list gets a size, though it may be the one that it has: its annotations follow the Deployment's size. */
function inProportion(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resize[] {
  const wanted = wantedReplicas(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const change = allowed - totalSize(active);
  // Of sets of one size, the newer ones grow first and the older ones shrink first.
  const sets = [...active].sort((a, b) => sizeOf(b) - sizeOf(a) || (change > 0 ? compareAge(b, a) : compareAge(a, b)));
  let left = change;
  const sizes = sets.map((set) => {
    const fraction = left === 0 ? 0 : fractionOf(deployment, set);
    const part = change > 0 ? Math.min(fraction, left) : change < 0 ? Math.max(fraction, left) : 0;
    left -= part;
    return sizeOf(set) + part;
  });
  return sets.map((set, index) => {
    const size = sizes[index] ?? 0;
    return { set, size: index === 0 ? Math.max(0, size + left) : size };
  });
}

/** How much the set would grow if its share of the Deployment stayed the same. */
function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const size = sizeOf(set);
  const wanted = wantedReplicas(deployment);
  if (wanted === 0) return -size;
  const annotated = maxReplicas(set) ?? 0;
  const before = annotated > 0 ? annotated : (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * (wanted + maxSurge(deployment))) / before) - size;
}

/** Whether the set's status counts pods that its controller has yet to delete; no pod may go because of them. */
const isBehind = (set: ReplicaSet): boolean => (set.status?.availableReplicas ?? 0) > sizeOf(set);

/**
 * Plans how old ReplicaSets shrink in a rolling update: first by their unavailable pods, then as far as the new ReplicaSet's
 * available pods allow. A ReplicaSet may be in the list twice.
 */
export function shrinkOldSets(deployment: Deployment, { newSet, old }: Generations): readonly Resize[] {
  const shrinking = byAge(old.filter(isScaledUp));
  if (newSet === undefined || shrinking.length === 0) return [];
  if ([...shrinking, newSet].some(isBehind)) return [];
  const minAvailable = wantedReplicas(deployment) - maxUnavailable(deployment);
  const newUnavailable = sizeOf(newSet) - (newSet.status?.availableReplicas ?? 0);
  const removable = totalSize([...shrinking, newSet]) - minAvailable - newUnavailable;
  if (removable <= 0) return [];
  const resizes: Resize[] = [];
  const sizes = new Map(shrinking.map((set) => [set, sizeOf(set)]));
  const shrink = (set: ReplicaSet, count: number): void => {
    const size = (sizes.get(set) ?? 0) - count;
    sizes.set(set, size);
    resizes.push({ set, size });
  };
  let unhealthy = removable;
  for (const set of shrinking) {
    const count = Math.min(unhealthy, sizeOf(set) - (set.status?.availableReplicas ?? 0));
    if (count <= 0) continue;
    shrink(set, count);
    unhealthy -= count;
  }
  let spare = counted([...shrinking, newSet], "availableReplicas") - minAvailable;
  for (const set of shrinking) {
    const count = Math.min(spare, sizes.get(set) ?? 0);
    if (count <= 0) continue;
    shrink(set, count);
    spare -= count;
  }
  return resizes;
}
