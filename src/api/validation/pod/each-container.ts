import { objects, type ReadonlyFields } from "../../../machinery/meta/access.js";

const FIELDS = ["initContainers", "containers", "ephemeralContainers"];

/** Every container of a pod spec with its path, init containers first, ephemeral ones last. */
export function eachContainer(
  spec: ReadonlyFields,
  path: string,
): readonly (readonly [container: ReadonlyFields, path: string])[] {
  const all: [ReadonlyFields, string][] = [];
  for (const field of FIELDS) {
    const containers = objects(spec[field]);
    for (let index = 0; index < containers.length; index++) {
      all.push([containers[index] ?? {}, `${path}.${field}[${index}]`]);
    }
  }
  return all;
}
