import type { ApiObject } from "../machinery/meta/object.js";

/** Whether the object is being deleted: finalizers or a grace period keep it. */
export function isTerminating({ metadata }: ApiObject): boolean {
  return metadata?.deletionTimestamp !== undefined;
}
