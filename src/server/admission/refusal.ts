import { forbidden, type StatusError } from "../../machinery/errors/status-error.js";
import type { AdmissionAttributes } from "./attributes.js";

/**
 * The 403 of a plugin. An object without a name is named by its generateName, and as "Unknown" when it has neither, as
 * kube-apiserver does.
 */
export function refused({ resource, name, object }: AdmissionAttributes, message: string): StatusError {
  const { name: given = "", generateName = "" } = object?.metadata ?? {};
  const { group, resource: plural } = resource;
  return forbidden({ group, resource: plural }, name || given || generateName || "Unknown", message);
}
