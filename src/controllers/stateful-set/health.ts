import type { Pod } from "../../api/types/core/v1.js";
import { isAvailable, isReady } from "../owned-pods/pod-state.js";

/** Whether the server has the pod. */
export const isCreated = ({ status }: Pod): boolean => (status?.phase ?? "") !== "";

export const isBeingDeleted = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);

/** `now` in milliseconds. */
export const isRunningAndAvailable = (pod: Pod, minReadySeconds: number, now: number): boolean =>
  isRunningAndReady(pod) && isAvailable(pod, minReadySeconds, now);
