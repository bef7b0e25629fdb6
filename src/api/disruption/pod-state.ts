import type { Pod } from "../types/core/v1.js";
import { object, objects, type ReceivedObject } from "../../machinery/meta/received.js";

/** Whether the pod's Ready condition is True: what a disruption budget counts as healthy. */
export function isPodReady(pod: ReceivedObject<Pod>): boolean {
  return objects(object(pod.status).conditions).some(({ type, status }) => type === "Ready" && status === "True");
}
