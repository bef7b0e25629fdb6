import type { Job } from "../../api/types/batch/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { isActive, isReady, isTerminating } from "../owned-pods/pod-state.js";
import { matchFailurePolicy } from "./failure-policy.js";
import { endsIndex, laterFailure, limitsIndexes } from "./pod-failures.js";
import {
  countIndexes,
  hasIndex,
  type Intervals,
  intervalsOf,
  mergeIntervals,
  parseIntervals,
} from "./index-intervals.js";
import { completionIndex, isFailed, isIndexed, isTracked } from "./job-pods.js";

/** The job and its pods as one reconciliation sees them. */
export interface Observation {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Pods, by uid, that the status need not count any more although the cache still shows their finalizer. */
  readonly released: ReadonlySet<string>;
  /** Pods that ended and that the status has not counted. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** With those. Of an indexed job: how many indexes succeeded. */
  readonly succeeded: number;
  /** With those that count by the failure policy. */
  readonly failed: number;
  /** Only of an indexed job. */
  readonly indexes?: ObservedIndexes;
}

export interface ObservedIndexes {
  /** As the status has them. */
  readonly counted: Intervals;
  readonly succeeded: Intervals;
  /** Only with backoffLimitPerIndex. */
  readonly failed?: Intervals;
  /** With backoffLimitPerIndex: failed pods that stay until the next pod of their index has taken over their count. */
  readonly awaitingReplacement: ReadonlyMap<number, Pod>;
}

export function observe(job: Job, pods: readonly Pod[], released: ReadonlySet<string>): Observation {
  const { status = {} } = job;
  const active = pods.filter(isActive);
  const uncounted = status.uncountedTerminatedPods ?? {};
  const known = new Set([...(uncounted.succeeded ?? []), ...(uncounted.failed ?? [])]);
  const valid = pods.filter((pod) => isTracked(pod) && !released.has(uidOf(pod)) && hasValidIndex(pod, job));
  const fresh = valid.filter((pod) => !known.has(uidOf(pod)));
  const newlySucceeded = fresh.filter((pod) => pod.status?.phase === "Succeeded");
  const newlyFailed = fresh.filter((pod) => isFailed(pod, job));
  const counting = newlyFailed.filter((pod) => matchFailurePolicy(job.spec?.podFailurePolicy, pod).counts);
  const indexes = isIndexed(job) ? observeIndexes(job, pods, valid, active) : undefined;
  const succeeded = (status.succeeded ?? 0) + newlySucceeded.length + (uncounted.succeeded?.length ?? 0);
  return {
    job,
    pods,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    released,
    newlySucceeded,
    newlyFailed,
    succeeded: indexes === undefined ? succeeded : countIndexes(indexes.succeeded),
    failed: (status.failed ?? 0) + counting.length + (uncounted.failed?.length ?? 0),
    ...(indexes && { indexes }),
  };
}

/** Whether the pod's index is one of the job's. Pods of a job without indexes have a valid one always. */
export function hasValidIndex(pod: Pod, job: Job): boolean {
  if (!isIndexed(job)) return true;
  const index = completionIndex(pod);
  return index !== undefined && index < (job.spec?.completions ?? 0);
}

export const uidOf = ({ metadata }: Pod): string => metadata?.uid ?? "";

function observeIndexes(
  job: Job,
  pods: readonly Pod[],
  valid: readonly Pod[],
  active: readonly Pod[],
): ObservedIndexes {
  const { spec, status = {} } = job;
  const completions = spec?.completions ?? 0;
  const tracked = pods.filter((pod) => isTracked(pod) && hasValidIndex(pod, job));
  const counted = parseIntervals(status.completedIndexes ?? "", completions);
  const succeeded = mergeIntervals(counted, indexesOf(tracked.filter((pod) => pod.status?.phase === "Succeeded")));
  if (!limitsIndexes(job)) return { counted, succeeded, awaitingReplacement: new Map() };
  const before = parseIntervals(status.failedIndexes ?? "", completions);
  const failed = mergeIntervals(before, indexesOf(tracked.filter((pod) => endsIndex(pod, job))));
  const awaitingReplacement = new Map<number, Pod>();
  const settled = mergeIntervals(mergeIntervals(succeeded, failed), indexesOf(active));
  for (const pod of valid) {
    const index = completionIndex(pod);
    if (index === undefined || hasIndex(settled, index) || !isFailed(pod, job)) continue;
    awaitingReplacement.set(index, laterFailure(awaitingReplacement.get(index), pod));
  }
  return { counted, succeeded, failed, awaitingReplacement };
}

/** The indexes of pods. */
export function indexesOf(pods: readonly Pod[]): Intervals {
  return intervalsOf(new Set(pods.map(completionIndex).filter((index) => index !== undefined)));
}
