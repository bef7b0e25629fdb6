import type { Pod, PodCondition } from "../../api/types/core/v1.js";

/** Whether the pod counts as one of its controller's replicas: it has not ended, and is not being deleted. */
export function isActive(pod: Pod): boolean {
  return !isOver(pod) && pod.metadata?.deletionTimestamp === undefined;
}

/** Whether the pod is being deleted, and its containers may still run. */
export function isTerminating(pod: Pod): boolean {
  return pod.metadata?.deletionTimestamp !== undefined && !isOver(pod);
}

/** Whether all containers of the pod have ended for good. */
export function isOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready");
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** The time since which the pod is ready, in milliseconds; undefined when it is not ready or the time is unknown. */
export function readySince(pod: Pod): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== "True" || condition.lastTransitionTime == null) return undefined;
  return Date.parse(condition.lastTransitionTime);
}

/** Whether the pod is ready, and has been for `minReadySeconds`. `now` in milliseconds. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return availableIn(pod, minReadySeconds, now) === 0;
}

/**
 * The milliseconds until a ready pod counts as available, 0 when it does; undefined when it is not ready, or when it must be ready for
 * some time and the time since which it is ready is unknown.
 */
export function availableIn(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}
