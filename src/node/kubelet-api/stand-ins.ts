import { object, objects, text } from "../../machinery/meta/received.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { ContainerRuntime } from "../container-runtime.js";
import { type NodePods, runningContainer } from "./node-pods.js";

/** /standIns, which kubelets do not have: the running containers of the node that stand in for their images. */
export function standIns(pods: NodePods, runtime: ContainerRuntime): JsonObject {
  const containers = pods.list().flatMap((pod) => {
    const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
    const { containers: main, initContainers } = object(pod.spec);
    return [...objects(main), ...objects(initContainers)].flatMap((container) => {
      const id = runningContainer(pod, "", text(container.name));
      const standIn = id === undefined ? undefined : runtime.standIn?.(id);
      return standIn === undefined ? [] : [{ podRef: { name, namespace, uid }, name: text(container.name), standIn }];
    });
  });
  return { containers };
}
