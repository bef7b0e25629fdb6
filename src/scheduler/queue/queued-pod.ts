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
