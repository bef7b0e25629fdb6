import type { QueuedPod } from "./queued-pod.js";

export interface PodBackoff {
  /** Milliseconds; default 1 s. */
  readonly initial: number;
  /** Milliseconds; default 10 s. */
  readonly max: number;
}

/** Backoffs end at whole seconds, so that pods of one second come out in the order of the active queue. */
const WINDOW_MS = 1000;

export const DEFAULT_BACKOFF: PodBackoff = { initial: 1000, max: 10_000 };

/** How long a pod waits after `count` failures: doubled with each, up to the longest. Milliseconds. */
export function backoffDuration({ initial, max }: PodBackoff, count: number): number {
  if (count <= 0) return 0;
  return count > 32 ? max : Math.min(initial * 2 ** (count - 1), max);
}

/** When the pod's backoff ends, in milliseconds since the Unix epoch; 0 for a pod without one. */
export function backoffEnd(backoff: PodBackoff, pod: QueuedPod): number {
  const count = pod.errors > 0 ? pod.errors : pod.rejections;
  if (count === 0) return 0;
  pod.backoffUntil ??= startOfWindow(pod.timestamp + backoffDuration(backoff, count));
  return pod.backoffUntil;
}

export function isBackingOff(backoff: PodBackoff, pod: QueuedPod, now: number): boolean {
  return backoffEnd(backoff, pod) > startOfWindow(now);
}

const startOfWindow = (time: number): number => Math.floor(time / WINDOW_MS) * WINDOW_MS;
