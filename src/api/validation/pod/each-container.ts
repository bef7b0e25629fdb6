import { objects, type Received } from "../../../machinery/meta/received.js";
import type { Container, EphemeralContainer, PodSpec } from "../../types/core/v1.js";

const FIELDS = ["initContainers", "containers", "ephemeralContainers"] as const;

export type AnyContainer = Container | EphemeralContainer;

/** Lists every container of a pod spec with its path: init containers first, ephemeral ones last. */
export function eachContainer(
  spec: Received<PodSpec>,
  path: string,
): readonly (readonly [container: Received<AnyContainer>, path: string])[] {
  const all: [Received<AnyContainer>, string][] = [];
  for (const field of FIELDS) {
    const containers = objects(spec[field]);
    for (let index = 0; index < containers.length; index++) {
      all.push([containers[index] ?? {}, `${path}.${field}[${index}]`]);
    }
  }
  return all;
}
