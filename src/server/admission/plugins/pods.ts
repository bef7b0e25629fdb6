import type { Container, EphemeralContainer, Pod } from "../../../api/types/core/v1.js";
import { children, type Draft, type DraftObject, ensureChild } from "../../../machinery/meta/received.js";
import type { AdmissionTarget } from "../plugin.js";

export const isPods = ({ group, resource }: Pick<AdmissionTarget, "group" | "resource">): boolean =>
  group === "" && resource === "pods";

/** Returns the containers of a pod that a plugin may change: init containers first, ephemeral ones last. */
export function containersToChange(pod: DraftObject<Pod>): readonly Draft<Container | EphemeralContainer>[] {
  const spec = ensureChild(pod, "spec");
  return [
    ...children(spec, "initContainers"),
    ...children(spec, "containers"),
    ...children(spec, "ephemeralContainers"),
  ];
}
