import { largest } from "../../base/collections/append.js";
import type { Pod } from "../../api/types/core/v1.js";
import { finishedAt } from "./job-pods.js";

/** The wait after the first failure; each further one doubles it. */
const FIRST_MS = 10_000;
const LONGEST_MS = 10 * 60_000;

/** How many pods failed in a row, and when the last one did, in milliseconds. */
export interface FailureRecord {
  readonly failures: number;
  readonly lastFailure: number;
}

export const NO_FAILURES: FailureRecord = { failures: 0, lastFailure: 0 };

/** The record after more pods ended. A success clears what failed before it. */
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

/** Milliseconds until a pod may be created. `now` in milliseconds. */
export function backoffLeft({ failures, lastFailure }: FailureRecord, now: number): number {
  if (failures === 0) return 0;
  const wait = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return Math.max(0, lastFailure + wait - now);
}
