import { object, objects, text } from "../machinery/meta/access.js";
import type { KubeObject } from "../machinery/meta/object.js";

/** Names the container that commands take when none is given. */
export const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

type Field = "containers" | "initContainers" | "ephemeralContainers";

/** In the order of the pod's spec. */
export const containerNames = ({ spec }: KubeObject, field: Field): readonly string[] =>
  objects(object(spec)[field]).map(({ name }) => text(name));

export const hasContainer = (pod: KubeObject, name: string): boolean =>
  (["containers", "initContainers", "ephemeralContainers"] as const).some((field) =>
    containerNames(pod, field).includes(name),
  );

/** "app, debugger (ephem), setup (init)". */
export function allContainerNames(pod: KubeObject): string {
  return [
    ...containerNames(pod, "containers"),
    ...containerNames(pod, "ephemeralContainers").map((name) => `${name} (ephem)`),
    ...containerNames(pod, "initContainers").map((name) => `${name} (init)`),
  ].join(", ");
}
