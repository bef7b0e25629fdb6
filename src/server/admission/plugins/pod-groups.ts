import type { Operation } from "../attributes.js";
import type { AdmissionTarget } from "../plugin.js";

export const SCHEDULING = "scheduling.k8s.io";

/** `handles` of a plugin that looks at new PodGroups. */
export const createsPodGroups = (operation: Operation, { group, resource, subresource }: AdmissionTarget): boolean =>
  operation === "CREATE" && group === SCHEDULING && resource === "podgroups" && subresource === "";
