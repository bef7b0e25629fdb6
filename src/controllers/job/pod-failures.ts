import { largest } from "../../base/collections/append.js";
import type { Pod } from "../../api/types/core/v1.js";
import { finishedAt, annotationNumber, isFailed } from "./job-pods.js";
import type { Job } from "../../api/types/batch/v1.js";
import { matchFailurePolicy } from "./failure-policy.js";

/** The wait after the first failure; each further one doubles it. */
const FIRST_MS = 10_000;
const LONGEST_MS = 10 * 60_000;

/** The number of failures in a row, and the time of the last one in milliseconds. */
export interface FailureRecord {
  readonly failures: number;
  readonly lastFailure: number;
}

export const NO_FAILURES: FailureRecord = { failures: 0, lastFailure: 0 };

/** Updates the record with pods that have ended. A success resets earlier failures. */
export function recordAfter(before: FailureRecord, succeeded: readonly Pod[], failed: readonly Pod[]): FailureRecord {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const failures = failed.map(finishedAt);
  if (succeeded.length === 0) {
    return { failures: before.failures + failures.length, lastFailure: largest(failures) };
  }
  const lastSuccess = largest(succeeded.map(finishedAt));
  const later = failures.filter((time) => time > lastSuccess);
  return later.length === 0 ? NO_FAILURES : { failures: later.length, lastFailure: largest(later) };
}

/** The milliseconds until a pod may be created. `now` in milliseconds. */
export function backoffLeft({ failures, lastFailure }: FailureRecord, now: number): number {
  if (failures === 0) return 0;
  const wait = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return Math.max(0, lastFailure + wait - now);
}

/** On each pod of a job with backoffLimitPerIndex: how many pods of the index failed before it. */
const FAILURES = "batch.kubernetes.io/job-index-failure-count";
/** And how many failures the policy ignored. */
const IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count";

export function limitsIndexes({ spec }: Job): boolean {
  return spec?.backoffLimitPerIndex !== undefined;
}

/** Whether this pod's failure ends its index: it exceeds the failures that the index may have, or a rule of the policy says so. */
export function endsIndex(pod: Pod, job: Job): boolean {
  if (!isFailed(pod, job)) return false;
  const { action, counts } = matchFailurePolicy(job.spec?.podFailurePolicy, pod);
  if (action === "FailIndex") return true;
  return counts && countOf(pod, FAILURES) >= (job.spec?.backoffLimitPerIndex ?? 0);
}

/** The annotations for the pod of an index, which count the failures of the index; `replaced` is the failed pod before it, if any. */
export function failureAnnotations(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  if (replaced === undefined) return { [FAILURES]: "0" };
  const { counts } = matchFailurePolicy(job.spec?.podFailurePolicy, replaced);
  const failures = countOf(replaced, FAILURES) + (counts ? 1 : 0);
  const ignored = countOf(replaced, IGNORED) + (counts ? 0 : 1);
  return { [FAILURES]: `${failures}`, ...(ignored > 0 && { [IGNORED]: `${ignored}` }) };
}

/** Returns that failed pod of an index which records at least as many failures and ended at least as late; `known` otherwise. */
export function laterFailure(known: Pod | undefined, pod: Pod): Pod {
  if (known === undefined) return pod;
  return allFailures(known) <= allFailures(pod) && finishedAt(pod) >= finishedAt(known) ? pod : known;
}

/** The milliseconds until the failed pod of an index may be replaced; 0 where none failed. `now` in milliseconds. */
export function indexBackoffLeft(failed: Pod | undefined, now: number): number {
  if (failed === undefined) return 0;
  return backoffLeft({ failures: allFailures(failed) + 1, lastFailure: finishedAt(failed) }, now);
}

const allFailures = (pod: Pod): number => countOf(pod, FAILURES) + countOf(pod, IGNORED);

const countOf = ({ metadata }: Pod, annotation: string): number =>
  annotationNumber(metadata?.annotations?.[annotation]) ?? 0;
