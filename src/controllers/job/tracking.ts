import type { FieldsOf } from "../../machinery/meta/received.js";
import type { UncountedTerminatedPods, Job, JobCondition, JobStatus } from "../../api/types/batch/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { matchFailurePolicy } from "./failure-policy.js";
import { countIndexes, formatIntervals, hasIndex } from "./index-intervals.js";
import { trueCondition } from "./job-conditions.js";
import { completionIndex, isFailed, isIndexed, isTracked } from "./job-pods.js";
import { hasValidIndex, type Observation, uidOf } from "./observation.js";
import { concluding } from "./verdict.js";

/** The status lists at most so many pods that it has not counted. */
const MOST_UNCOUNTED = 500;

/** How the controller counts each pod once: it lists the pods in the status, removes their finalizers, then counts them in the status. */
export interface Tracking {
  /** To be written before the pods lose their finalizers. */
  readonly status: JobStatus;
  /** The pods that lose their finalizers. */
  readonly release: readonly Pod[];
  /** The uids of pods that have the finalizer. */
  readonly tracked: ReadonlySet<string>;
  /** Whether more pods ended than one status may list. */
  readonly full: boolean;
  /** The condition that ends the job when all pods are counted. */
  readonly end: JobCondition | undefined;
}

/** Lists the pods that ended in `status`, and announces how the job ends. `verdict` is why it does, if it does. */
export function listEndedPods(
  observation: Observation,
  status: JobStatus,
  verdict: JobCondition | undefined,
  now: number,
): Tracking {
  const { job, pods, released, indexes } = observation;
  const tracked = new Set(pods.filter((pod) => isTracked(pod) && !released.has(uidOf(pod))).map(uidOf));
  const listed = settleCounted(status, tracked);
  const { succeeded = [], failed = [] } = listed.uncountedTerminatedPods ?? {};
  const known = { succeeded: new Set(succeeded), failed: new Set(failed) };
  const fresh = { indexes: 0, succeeded: [] as string[], failed: [] as string[] };
  const release: Pod[] = [];
  let full = false;
  for (const pod of isIndexed(job) ? byIndex(pods) : pods) {
    const uid = uidOf(pod);
    if (!tracked.has(uid) || !mayRelease(pod, observation, verdict)) continue;
    release.push(pod);
    if (pod.status?.phase === "Succeeded" && !known.failed.has(uid)) {
      if (indexes === undefined) {
        if (!known.succeeded.has(uid)) fresh.succeeded.push(uid);
      } else if (hasValidIndex(pod, job) && !hasIndex(indexes.counted, completionIndex(pod) ?? 0)) fresh.indexes += 1;
    } else if (countsAsFailed(pod, job, verdict) && !known.failed.has(uid)) fresh.failed.push(uid);
    const waiting = fresh.indexes + known.succeeded.size + known.failed.size;
    full = waiting + fresh.succeeded.length + fresh.failed.length >= MOST_UNCOUNTED;
    if (full) break;
  }
  return {
    status: {
      ...(indexes === undefined ? listed : withIndexes(listed, indexes)),
      ...conditionsWith(listed, verdict),
      uncountedTerminatedPods: uncounted([...succeeded, ...fresh.succeeded], [...failed, ...fresh.failed]),
    },
    release,
    tracked,
    full,
    end: verdict && endOf(verdict, now),
  };
}

/** Counts the listed pods that have lost their finalizer, and removes them from the list. */
export function settleCounted(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  };
  const counts = {
    succeeded: (status.succeeded ?? 0) + succeeded.length - left.succeeded.length,
    failed: (status.failed ?? 0) + failed.length - left.failed.length,
  };
  return {
    ...status,
    ...(counts.succeeded > 0 && ({ succeeded: counts.succeeded } satisfies FieldsOf<JobStatus>)),
    ...(counts.failed > 0 && ({ failed: counts.failed } satisfies FieldsOf<JobStatus>)),
    uncountedTerminatedPods: uncounted(left.succeeded, left.failed),
  };
}

/** Returns the final status of the job; undefined while pods are to be counted or still terminate. */
export function concluded(status: JobStatus, { end, full }: Tracking): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (end === undefined || full || succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0)
    return undefined;
  const { lastTransitionTime } = end;
  return {
    ...status,
    conditions: [...(status.conditions ?? []), end],
    ...(end.type === "Complete" &&
      lastTransitionTime != null &&
      ({ completionTime: lastTransitionTime } satisfies FieldsOf<JobStatus>)),
  };
}

/** Whether the pod has ended, or has to, and need not wait for the pod that replaces it. */
function mayRelease(pod: Pod, { job, indexes }: Observation, verdict: JobCondition | undefined): boolean {
  const over = job.metadata?.deletionTimestamp !== undefined || verdict !== undefined;
  if (over || pod.status?.phase === "Succeeded") return true;
  if (!isFailed(pod, job)) return false;
  return indexes?.awaitingReplacement.get(completionIndex(pod) ?? -1) !== pod;
}

/** Of a job that fails every pod that has not succeeded counts as failed. */
function countsAsFailed(pod: Pod, job: Job, verdict: JobCondition | undefined): boolean {
  const jobFails = verdict !== undefined && verdict.type !== "SuccessCriteriaMet";
  if (!(isFailed(pod, job) || jobFails) || !hasValidIndex(pod, job)) return false;
  return matchFailurePolicy(job.spec?.podFailurePolicy, pod).counts;
}

function withIndexes(status: JobStatus, { succeeded, failed }: NonNullable<Observation["indexes"]>): JobStatus {
  const { succeeded: _count, completedIndexes: _completed, failedIndexes: _failed, ...others } = status;
  const count = countIndexes(succeeded);
  return {
    ...others,
    ...(count > 0 &&
      ({ succeeded: count, completedIndexes: formatIntervals(succeeded) } satisfies FieldsOf<JobStatus>)),
    ...(failed && ({ failedIndexes: formatIntervals(failed) } satisfies FieldsOf<JobStatus>)),
  };
}

function conditionsWith({ conditions = [] }: JobStatus, verdict: JobCondition | undefined): JobStatus {
  if (verdict === undefined || verdict.type === "Failed" || trueCondition(conditions, verdict.type)) return {};
  return { conditions: [...conditions, verdict] };
}

function endOf(verdict: JobCondition, now: number): JobCondition {
  if (verdict.type === "Failed") return verdict;
  return concluding(verdict.type === "SuccessCriteriaMet" ? "Complete" : "Failed", verdict, now);
}

const byIndex = (pods: readonly Pod[]): readonly Pod[] =>
  [...pods].sort((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1));

const uncounted = (succeeded: string[], failed: string[]) => ({
  ...(succeeded.length > 0 && ({ succeeded } satisfies FieldsOf<UncountedTerminatedPods>)),
  ...(failed.length > 0 && ({ failed } satisfies FieldsOf<UncountedTerminatedPods>)),
});
