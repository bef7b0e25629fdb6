import { children, ensureChild, type Fields } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionTarget } from "../plugin.js";

export const isPods = ({ group, resource }: Pick<AdmissionTarget, "group" | "resource">): boolean =>
  group === "" && resource === "pods";

/** The containers of a pod, to be changed: init containers first, ephemeral ones last. */
export function containersToChange(pod: KubeObject): readonly Fields[] {
  const spec = ensureChild(pod, "spec");
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((field) => children(spec, field));
}
