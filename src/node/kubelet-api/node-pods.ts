import type { ContainerStatus, Pod } from "../../api/types/core/v1.js";
import { absent, object, objects, type Received, type ReceivedObject, text } from "../../machinery/meta/received.js";

/** The pods of a node, with the status that the node's agent knows, which the API server may not have yet. */
export interface NodePods {
  list(): readonly ReceivedObject<Pod>[];
  find(namespace: string, name: string): ReceivedObject<Pod> | undefined;
}

/** The fields of a pod's spec with containers, and those of its status with their states. */
const LISTS = [
  ["containers", "containerStatuses"],
  ["initContainers", "initContainerStatuses"],
  ["ephemeralContainers", "ephemeralContainerStatuses"],
] as const;

/** Whether the pod's spec has a container of that name. */
export const hasContainer = (pod: ReceivedObject<Pod>, name: string): boolean =>
  LISTS.some(([list]) => objects(object(pod.spec)[list]).some((one) => text(one.name) === name));

export function containerStatus(pod: ReceivedObject<Pod>, name: string): Received<ContainerStatus> | undefined {
  for (const [, list] of LISTS) {
    const status = objects(object(pod.status)[list]).find((one) => text(one.name) === name);
    if (status !== undefined) return status;
  }
  return undefined;
}

/** Finds the id of a running container, without its scheme; undefined when it does not run. `uid` "" is any pod of the name. */
export function runningContainer(pod: ReceivedObject<Pod>, uid: string, name: string): string | undefined {
  if (uid !== "" && pod.metadata?.uid !== uid) return undefined;
  const status = containerStatus(pod, name);
  if (status === undefined || absent(object(status.state).running)) return undefined;
  return withoutScheme(text(status.containerID));
}

/** Removes the scheme of a container's id: "abc" of "containerd://abc". */
export const withoutScheme = (containerId: string): string => containerId.replace(/^[^/]*:\/\//, "");
