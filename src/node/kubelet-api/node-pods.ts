import { object, objects, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** The pods of a node, with the status that the node's agent knows, which the API server may not have yet. */
export interface NodePods {
  list(): readonly KubeObject[];
  find(namespace: string, name: string): KubeObject | undefined;
}

/** The fields of a pod's spec with containers, and those of its status with their states. */
const LISTS = [
  ["containers", "containerStatuses"],
  ["initContainers", "initContainerStatuses"],
  ["ephemeralContainers", "ephemeralContainerStatuses"],
] as const;

/** Whether the pod's spec has a container of that name. */
export const hasContainer = (pod: KubeObject, name: string): boolean =>
  LISTS.some(([list]) => objects(object(pod.spec)[list]).some((one) => text(one.name) === name));

export function containerStatus(pod: KubeObject, name: string): JsonObject | undefined {
  for (const [, list] of LISTS) {
    const status = objects(object(pod.status)[list]).find((one) => text(one.name) === name);
    if (status !== undefined) return status as JsonObject;
  }
  return undefined;
}

/** The id of a running container, without its scheme; undefined when it does not run. `uid` "" is any pod of the name. */
export function runningContainer(pod: KubeObject, uid: string, name: string): string | undefined {
  if (uid !== "" && pod.metadata?.uid !== uid) return undefined;
  const status = containerStatus(pod, name);
  if (status === undefined || object(status["state"])["running"] === undefined) return undefined;
  return withoutScheme(text(status["containerID"]));
}

/** "abc" of "containerd://abc". */
export const withoutScheme = (containerId: string): string => containerId.replace(/^[^/]*:\/\//, "");
