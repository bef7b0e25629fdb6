import { children, ensureChild, type Fields } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Operation } from "../attributes.js";
import type { AdmissionTarget } from "../plugin.js";

export const isPods = ({ group, resource }: Pick<AdmissionTarget, "group" | "resource">): boolean =>
  group === "" && resource === "pods";

/** `handles` of a plugin that looks at new and changed pods, and at none of their subresources. */
export const handlesPodWrites = (operation: Operation, target: AdmissionTarget): boolean =>
  (operation === "CREATE" || operation === "UPDATE") && isPods(target) && target.subresource === "";

/** The containers of a pod, to be changed: init containers first, ephemeral ones last. */
export function containersToChange(pod: KubeObject): readonly Fields[] {
  const spec = ensureChild(pod, "spec");
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((field) => children(spec, field));
}
