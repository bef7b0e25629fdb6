import { object, objects } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** Whether the pod's Ready condition is True: what a disruption budget counts as healthy. */
export function isPodReady(pod: KubeObject): boolean {
  return objects(object(pod["status"])["conditions"]).some(({ type, status }) => type === "Ready" && status === "True");
}
