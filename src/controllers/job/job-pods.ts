import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { largest } from "../../base/collections/append.js";
import type { Job } from "../../api/types/batch/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { isTerminating, readyCondition } from "../owned-pods/pod-state.js";

/** Keeps a pod until the job's status has counted it. */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";

/** The annotation and the label of a pod of an indexed job. */
export const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

export function isTracked({ metadata }: Pod): boolean {
  return metadata?.finalizers?.includes(TRACKING_FINALIZER) === true;
}

/** The completion index of a pod; undefined for a pod without a valid index. */
export function completionIndex({ metadata }: Pod): number | undefined {
  return annotationNumber(metadata?.annotations?.[COMPLETION_INDEX]);
}

/** Reads a count from an annotation; undefined where it is absent or invalid. */
export function annotationNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= 0 && value <= 2 ** 31 - 1 ? value : undefined;
}

/** The label of metrics that says how completions are counted. */
export const completionMode = (job: Job): string => (isIndexed(job) ? "Indexed" : "NonIndexed");

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}

/** Whether a pod that is being deleted is replaced only when its containers have ended. */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

/** Whether the pod counts as failed. A pod that is being deleted does at once, unless the job replaces only failed pods. */
export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && isTerminating(pod);
}

/** The time at which a pod ended, in milliseconds: that of its containers, else of its readiness, its deletion or its creation. */
export function finishedAt(pod: Pod): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata ?? {};
  const containers = pod.status?.containerStatuses ?? [];
  const ends = containers.map(({ state }) => state?.terminated?.finishedAt);
  if (ends.length > 0 && ends.every((end) => end != null)) return largest(ends.map((end) => Date.parse(end)));
  const ready = readyCondition(pod);
  if (ready?.status === "False" && ready.lastTransitionTime != null) return Date.parse(ready.lastTransitionTime);
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) - Number(deletionGracePeriodSeconds) * 1000;
  return creationTimestamp == null ? 0 : Date.parse(creationTimestamp);
}

export const JOB_KIND = { apiVersion: "batch/v1", kind: "Job" } as const satisfies FieldsOf<ApiObject>;
