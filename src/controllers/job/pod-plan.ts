import { append, smallest } from "../../base/collections/append.js";
import type { Job } from "../../api/types/batch/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { inDeletionOrder } from "../owned-pods/deletion-order.js";
import { isTerminating } from "../owned-pods/pod-state.js";
import { indexBackoffLeft, limitsIndexes, backoffLeft, type FailureRecord } from "./pod-failures.js";
import { firstFreeIndexes, mergeIntervals } from "./index-intervals.js";
import { completionIndex, isIndexed, replacesOnlyFailed } from "./job-pods.js";
import { hasValidIndex, indexesOf, type Observation } from "./observation.js";

/** At most so many pods are created or deleted in one reconciliation. */
const BURST = 500;

/** The pods of a job to create or to remove, or how long to wait; nothing where the pods are as they should be. */
export interface PodPlan {
  readonly remove: readonly Pod[];
  /** How many pods to create; of an indexed job one for each of `indexes`. */
  readonly create: number;
  readonly indexes: readonly number[];
  /** Milliseconds until pods may be created; 0 when none wait. */
  readonly wait: number;
}

const NOTHING: PodPlan = { remove: [], create: 0, indexes: [], wait: 0 };

export function planPods(observation: Observation, failures: FailureRecord, now: number): PodPlan {
  const { job, active, terminating, indexes } = observation;
  if (job.spec?.suspend === true) return { ...NOTHING, remove: podsToRemove(job, active, active.length, now) };
  const wanted = wantedActive(observation);
  const remove = podsToRemove(job, active, Math.max(0, active.length - wanted), now).slice(0, BURST);
  if (remove.length > 0) return { ...NOTHING, remove };
  const missing = wanted - active.length - (replacesOnlyFailed(job) ? terminating : 0);
  if (missing <= 0) return NOTHING;
  const wait = limitsIndexes(job) ? 0 : backoffLeft(failures, now);
  if (wait > 0) return { ...NOTHING, wait };
  const create = Math.min(missing, BURST);
  if (indexes === undefined) return { ...NOTHING, create };
  const free = freeIndexes(observation, create);
  const waits = free.map((index) => indexBackoffLeft(indexes.awaitingReplacement.get(index), now));
  const due = free.filter((_, at) => waits[at] === 0);
  if (due.length === 0 && free.length > 0) return { ...NOTHING, wait: smallest(waits) };
  return { ...NOTHING, create: due.length, indexes: due };
}

/** The number of pods that should run now. */
export function wantedActive({ job, active, succeeded }: Observation): number {
  const { parallelism = 1, completions } = job.spec ?? {};
  // Without completions, what runs may end once one pod has succeeded.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

function freeIndexes({ job, pods, active, indexes }: Observation, count: number): readonly number[] {
  const busy = replacesOnlyFailed(job) ? [...active, ...pods.filter(isTerminating)] : active;
  const settled = mergeIntervals(indexes?.succeeded ?? [], indexes?.failed ?? []);
  return firstFreeIndexes(mergeIntervals(settled, indexesOf(busy)), count, job.spec?.completions ?? 0);
}

/** At least `atLeast` pods; of an indexed job all whose index is not valid or taken twice. */
function podsToRemove(job: Job, active: readonly Pod[], atLeast: number, now: number): readonly Pod[] {
  const inOrder = (pods: readonly Pod[]): readonly Pod[] =>
    pods.length < 2 ? pods : inDeletionOrder(pods, { crowd: () => 0, now });
  const [invalid, kept] = isIndexed(job) ? withoutTwins(job, active, inOrder) : [[], active];
  return invalid.length >= atLeast ? invalid : [...invalid, ...inOrder(kept).slice(0, atLeast - invalid.length)];
}

/** Splits pods into those without a valid index of their own, and one for each index. */
function withoutTwins(job: Job, active: readonly Pod[], inOrder: (pods: readonly Pod[]) => readonly Pod[]) {
  const removed: Pod[] = [];
  const byIndex = new Map<number, Pod[]>();
  for (const pod of active) {
    const index = completionIndex(pod);
    if (index === undefined || !hasValidIndex(pod, job)) removed.push(pod);
    else byIndex.set(index, [...(byIndex.get(index) ?? []), pod]);
  }
  const kept: Pod[] = [];
  for (const [, twins] of [...byIndex].sort(([a], [b]) => a - b)) {
    const ordered = inOrder(twins);
    append(removed, ordered.slice(0, -1));
    append(kept, ordered.slice(-1));
  }
  return [removed, kept] as const;
}
