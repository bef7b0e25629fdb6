import type { Container, EphemeralContainer, Pod } from "../../../api/types/core/v1.js";
import { children, type Draft, type DraftObject, ensureChild } from "../../../machinery/meta/received.js";
import type { AdmissionTarget } from "../plugin.js";

export const isPods = ({ group, resource }: Pick<AdmissionTarget, "group" | "resource">): boolean =>
  group === "" && resource === "pods";

/** The containers of a pod, to be changed: init containers first, ephemeral ones last. */
export function containersToChange(pod: DraftObject<Pod>): readonly Draft<Container | EphemeralContainer>[] {
  const spec = ensureChild(pod, "spec");
  return [
    ...children(spec, "initContainers"),
    ...children(spec, "containers"),
    ...children(spec, "ephemeralContainers"),
  ];
}
