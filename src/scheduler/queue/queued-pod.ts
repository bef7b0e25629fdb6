import type { PodInfo } from "../cache/pod-info.js";
import type { QueuedOrder } from "../framework/plugin.js";

/** A pod that waits to be scheduled. */
export interface QueuedPod extends QueuedOrder {
  info: PodInfo;
  timestamp: number;
  /** How often it was tried. */
  attempts: number;
  /** How often plugins rejected it; its backoff grows with that. */
  rejections: number;
  /** How often in a row trying it failed with an error. */
  errors: number;
  /** The plugins that rejected it in the last attempt: their events move it. */
  rejectedBy: Set<string>;
  /** Those of them that wait for something outside the scheduler: their events move it without backoff. */
  pendingBy: Set<string>;
  /** The plugin that keeps it out of the active queue; "" for none. */
  gatedBy: string;
  /** When its backoff ends, in milliseconds since the Unix epoch; computed once for an attempt. */
  backoffUntil: number | undefined;
}

export function queuedPod(info: PodInfo, timestamp: number): QueuedPod {
  return {
    info,
    timestamp,
    attempts: 0,
    rejections: 0,
    errors: 0,
    rejectedBy: new Set(),
    pendingBy: new Set(),
    gatedBy: "",
    backoffUntil: undefined,
  };
}

export interface PodBackoff {
  /** Milliseconds; default 1 s. */
  readonly initial: number;
  /** Milliseconds; default 10 s. */
  readonly max: number;
}

/** Backoffs end at whole seconds, so that pods of one second come out in the order of the active queue. */
const WINDOW_MS = 1000;

export const DEFAULT_BACKOFF: PodBackoff = { initial: 1000, max: 10_000 };

/** The backoff after `count` failures in milliseconds: it doubles with each failure, up to `max`. */
export function backoffDuration({ initial, max }: PodBackoff, count: number): number {
  if (count <= 0) return 0;
  return count > 32 ? max : Math.min(initial * 2 ** (count - 1), max);
}

/** The end of a pod's backoff, in milliseconds since the Unix epoch; 0 for a pod without one. */
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
