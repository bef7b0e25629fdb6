import type { Pod } from "../api/types/core/v1.js";
import { object, objects, type ReceivedObject, text } from "../machinery/meta/received.js";
import type { ContainerRuntime } from "./container-runtime.js";
import { type NodePods, runningContainer } from "./kubelet-api/node-pods.js";

/** The resource usage of a running pod, by container. */
export interface PodUsage {
  readonly pod: ReceivedObject<Pod>;
  readonly containers: readonly ContainerUsage[];
}

export interface ContainerUsage {
  readonly name: string;
  /** Processor time per second, in nanoseconds. */
  readonly cpuNanoCores: number;
  readonly memoryBytes: number;
}

/** Measures the running pods of a node that `wanted` selects. */
export async function podUsage(
  pods: NodePods,
  runtime: ContainerRuntime,
  wanted: (pod: ReceivedObject<Pod>) => boolean,
): Promise<readonly PodUsage[]> {
  const running = pods.list().filter((pod) => object(pod.status).phase === "Running" && wanted(pod));
  const all = await Promise.all(running.map(async (pod) => ({ pod, containers: await usageOf(pod, runtime) })));
  return all.filter(({ containers }) => containers.length > 0);
}

async function usageOf(pod: ReceivedObject<Pod>, runtime: ContainerRuntime): Promise<readonly ContainerUsage[]> {
  const { containers, initContainers } = object(pod.spec);
  const names = [...objects(containers), ...objects(initContainers)].map((one) => text(one.name));
  const known = await Promise.all(
    names.map(async (name) => {
      const id = runningContainer(pod, "", name);
      const stats = id === undefined ? undefined : await runtime.stats(id);
      return stats === undefined
        ? []
        : [{ name, cpuNanoCores: stats.cpuNanoCores ?? 0, memoryBytes: stats.memoryBytes }];
    }),
  );
  return known.flat();
}
