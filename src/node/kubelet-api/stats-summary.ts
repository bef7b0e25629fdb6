import type { ObjectReference, Pod } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { type FieldsOf, object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { ContainerRuntime, ContainerStats } from "../container-runtime.js";
import { type NodePods, runningContainer } from "./node-pods.js";

/** The answer of /stats/summary: what the node's containers use, as far as the runtime knows. */
export async function statsSummary(
  nodeName: string,
  pods: NodePods,
  runtime: ContainerRuntime,
  clock: Clock,
): Promise<unknown> {
  const time = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  const all = await Promise.all(pods.list().map((pod) => podStats(pod, runtime, time)));
  const sum = (field: keyof ContainerStats): number =>
    all.reduce((total, { used }) => total + used.reduce((part, one) => part + (one[field] ?? 0), 0), 0);
  return {
    node: {
      nodeName,
      startTime: time,
      ...usage(time, {
        cpuNanoseconds: sum("cpuNanoseconds"),
        cpuNanoCores: sum("cpuNanoCores"),
        memoryBytes: sum("memoryBytes"),
      }),
    },
    pods: all.map(({ stats }) => stats),
  };
}

async function podStats(pod: ReceivedObject<Pod>, runtime: ContainerRuntime, time: string) {
  const { name, namespace, uid } = pod.metadata ?? {};
  const used: ContainerStats[] = [];
  const containers = [];
  const { containers: all, initContainers } = object(pod.spec);
  for (const container of [...objects(all), ...objects(initContainers)]) {
    const id = runningContainer(pod, "", text(container.name));
    const stats = id === undefined ? undefined : await runtime.stats(id);
    if (stats === undefined) continue;
    used.push(stats);
    containers.push({
      name: text(container.name),
      startTime: time,
      ...usage(time, stats),
      rootfs: { time, usedBytes: stats.filesBytes },
      logs: { time, usedBytes: stats.logsBytes },
    });
  }
  return {
    stats: {
      podRef: { name, namespace, uid } satisfies FieldsOf<ObjectReference>,
      startTime: text(object(pod.status).startTime) || time,
      containers,
    },
    used,
  };
}

const usage = (
  time: string,
  {
    cpuNanoseconds,
    cpuNanoCores = 0,
    memoryBytes,
  }: Pick<ContainerStats, "cpuNanoseconds" | "cpuNanoCores" | "memoryBytes">,
) => ({
  cpu: { time, usageNanoCores: cpuNanoCores, usageCoreNanoSeconds: cpuNanoseconds },
  memory: { time, usageBytes: memoryBytes, workingSetBytes: memoryBytes, rssBytes: memoryBytes },
});
