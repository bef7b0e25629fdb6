import type { Job } from "../../api/types/batch/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { matchFailurePolicy } from "./failure-policy.js";
import { annotationNumber, finishedAt, isFailed } from "./job-pods.js";
import { backoffLeft } from "./pod-backoff.js";

/** On each pod of a job with backoffLimitPerIndex: how many pods of the index failed before it. */
const FAILURES = "batch.kubernetes.io/job-index-failure-count";
/** And how many failures the policy ignored. */
const IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count";

export function limitsIndexes({ spec }: Job): boolean {
  return spec?.backoffLimitPerIndex !== undefined;
}

/** Whether the failure of this pod is one too many for its index. */
export function endsIndex(pod: Pod, job: Job): boolean {
  if (!isFailed(pod, job)) return false;
  const { action, counts } = matchFailurePolicy(job.spec?.podFailurePolicy, pod);
  if (action === "FailIndex") return true;
  return counts && countOf(pod, FAILURES) >= (job.spec?.backoffLimitPerIndex ?? 0);
}

/** The annotations of the pod that comes after a failed one of its index, or is the first. */
export function failureAnnotations(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  if (replaced === undefined) return { [FAILURES]: "0" };
  const { counts } = matchFailurePolicy(job.spec?.podFailurePolicy, replaced);
  const failures = countOf(replaced, FAILURES) + (counts ? 1 : 0);
  const ignored = countOf(replaced, IGNORED) + (counts ? 0 : 1);
  return { [FAILURES]: `${failures}`, ...(ignored > 0 && { [IGNORED]: `${ignored}` }) };
}

/** Of two failed pods of an index the one whose annotations count more: the later one. */
export function laterFailure(known: Pod | undefined, pod: Pod): Pod {
  if (known === undefined) return pod;
  return allFailures(known) <= allFailures(pod) && finishedAt(pod) >= finishedAt(known) ? pod : known;
}

/** Milliseconds until the failed pod of an index may be replaced; 0 where none failed. `now` in milliseconds. */
export function indexBackoffLeft(failed: Pod | undefined, now: number): number {
  if (failed === undefined) return 0;
  return backoffLeft({ failures: allFailures(failed) + 1, lastFailure: finishedAt(failed) }, now);
}

const allFailures = (pod: Pod): number => countOf(pod, FAILURES) + countOf(pod, IGNORED);

const countOf = ({ metadata }: Pod, annotation: string): number =>
  annotationNumber(metadata?.annotations?.[annotation]) ?? 0;
