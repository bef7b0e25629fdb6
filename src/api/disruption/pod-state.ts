import { object, objects } from "../../machinery/meta/access.js";
import type { ApiObject } from "../../machinery/meta/object.js";

/** Whether the pod's Ready condition is True: what a disruption budget counts as healthy. */
export function isPodReady(pod: ApiObject & { readonly status?: unknown }): boolean {
  return objects(object(pod.status)["conditions"]).some(({ type, status }) => type === "Ready" && status === "True");
}
