import type { ServerGates } from "../../api/gates/feature-gates.js";
import type { StatefulSet } from "../../api/types/apps/v1.js";
import type { Pod, PodTemplateSpec } from "../../api/types/core/v1.js";
import { isOver } from "../owned-pods/pod-state.js";
import { scaledValue } from "../owned-pods/scaled-value.js";
import { isBeingDeleted, isCreated, isRunningAndAvailable } from "./status.js";
import { firstOrdinal, isWanted, memberPod, ordinalOf, revisionOf, wantedReplicas } from "./identity.js";

/** A revision of the set's template. */
export interface Revision {
  readonly name: string;
  readonly template: PodTemplateSpec;
}

/** A step for one pod: "claims" creates its missing claims, "keep" and "release" update labels and the owners of claims. */
export interface Step {
  readonly act: "create" | "claims" | "keep" | "release" | "delete";
  readonly pod: Pod;
}

export interface PlanInput {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly current: Revision;
  readonly update: Revision;
  readonly gates: ServerGates;
  /** In milliseconds. */
  readonly now: number;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** How many pods go because they are of another revision. */
  readonly outdated: number;
}

/** Whether pods are created and deleted one by one, in order. */
export const isOrdered = ({ spec }: StatefulSet): boolean => spec?.podManagementPolicy !== "Parallel";

/**
 * Plans the next steps of a set, in order. Pods are created from the lowest ordinal up and deleted from the highest down; first
 * the wanted pods are created, then surplus ones are deleted, and then outdated ones.
 */
export function plan(input: PlanInput): Plan {
  const { set } = input;
  if (set.metadata?.deletionTimestamp !== undefined) return { steps: [], outdated: 0 };
  const replicas = replicasOf(input);
  const condemned = input.pods
    .filter((pod) => !isWanted(set, pod) && ordinalOf(pod) >= 0)
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  const alive = bringToLife(input, replicas);
  if (alive.blocked) return { steps: alive.steps, outdated: 0 };
  const shrunk = shrink(input, replicas, condemned);
  const steps = [...alive.steps, ...condemned.map((pod): Step => ({ act: "release", pod })), ...shrunk.steps];
  if (shrunk.blocked || set.spec?.updateStrategy?.type === "OnDelete") return { steps, outdated: 0 };
  const outdated = outdatedPods(input, replicas);
  return { steps: [...steps, ...outdated.map((pod): Step => ({ act: "delete", pod }))], outdated: outdated.length };
}

/** The wanted pods by ordinal, the missing ones as they would be created. */
function replicasOf({ set, pods, current, update }: PlanInput): readonly Pod[] {
  const first = firstOrdinal(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  return Array.from({ length: wantedReplicas(set) }, (_, index) => {
    const { name, template } = index < partitionOf(set) ? current : update;
    return byOrdinal.get(first + index) ?? memberPod(set, template, first + index, name);
  });
}

/** How many of the first pods stay at the current revision. */
function partitionOf({ spec }: StatefulSet): number {
  return spec?.updateStrategy?.type === "OnDelete" ? 0 : (spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
}

interface Part {
  readonly steps: readonly Step[];
  /** Nothing else may happen now. */
  readonly blocked: boolean;
}

function bringToLife(input: PlanInput, replicas: readonly Pod[]): Part {
  const ordered = isOrdered(input.set);
  const steps: Step[] = [];
  for (const pod of replicas) {
    if (isOver(pod)) {
      if (!isBeingDeleted(pod)) steps.push({ act: "delete", pod });
      if (ordered) return { steps, blocked: true };
      continue;
    }
    if (!isCreated(pod)) {
      steps.push({ act: "create", pod });
      if (ordered) return { steps, blocked: true };
      continue;
    }
    if (pod.status?.phase === "Pending") steps.push({ act: "claims", pod });
    if (ordered && isUnavailable(input, pod)) return { steps, blocked: true };
    steps.push({ act: "keep", pod });
  }
  return { steps, blocked: false };
}

function shrink(input: PlanInput, replicas: readonly Pod[], condemned: readonly Pod[]): Part {
  if (!isOrdered(input.set)) {
    const going = condemned.filter((pod) => !isBeingDeleted(pod));
    return { steps: going.map((pod) => ({ act: "delete", pod })), blocked: false };
  }
  const [highest] = condemned;
  if (highest === undefined) return { steps: [], blocked: false };
  const firstUnavailable = [...replicas, ...condemned.toReversed()].find((pod) => isUnavailable(input, pod));
  // A pod that is not available waits for those below it, unless it is the first of them.
  const waits = isBeingDeleted(highest) || (isUnavailable(input, highest) && highest !== firstUnavailable);
  return { steps: waits ? [] : [{ act: "delete", pod: highest }], blocked: true };
}

/** The pods that a rolling update replaces now: from the highest ordinal down, as many as may be unavailable at a time. */
function outdatedPods(input: PlanInput, replicas: readonly Pod[]): readonly Pod[] {
  const { set, update, gates } = input;
  const countsAll = gates.enabled("MaxUnavailableStatefulSet");
  const allowed = countsAll ? maxUnavailable(set) : 1;
  const updated = replicas.slice(partitionOf(set)).toReversed();
  const isOutdated = (pod: Pod): boolean => revisionOf(pod) !== update.name && !isBeingDeleted(pod);
  // What is broken already goes first, and does not hold up the update.
  if (!isOrdered(set) && countsAll) {
    const [broken, others] = [true, false].map((unavailable) =>
      updated.filter((pod) => isUnavailable(input, pod) === unavailable),
    ) as [Pod[], Pod[]];
    const first = broken.filter(isOutdated).slice(0, allowed);
    const missing = broken.filter((pod) => !isOutdated(pod)).length + first.length;
    return [...first, ...others.filter(isOutdated).slice(0, Math.max(0, allowed - missing))];
  }
  const found: Pod[] = [];
  let unavailable = 0;
  for (const pod of updated) {
    if (unavailable >= allowed) break;
    if (isOutdated(pod)) found.push(pod);
    if (isOutdated(pod) || isUnavailable(input, pod)) unavailable++;
  }
  return found;
}

function maxUnavailable(set: StatefulSet): number {
  const stated = set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
  return stated === undefined ? 1 : Math.max(1, scaledValue(stated, wantedReplicas(set), "down"));
}

function isUnavailable({ set, now }: PlanInput, pod: Pod): boolean {
  return isBeingDeleted(pod) || !isRunningAndAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
}
