import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatTime } from "../../machinery/meta/time.js";
import { addQuantities, formatQuantity, parseQuantity, zeroQuantity } from "../../machinery/text/quantity/quantity.js";
import { object, objects, text } from "../../machinery/meta/access.js";

/** How long is measured, as metrics-server does by default. */
const WINDOW = "15s";

/** A PodMetrics. `now` in milliseconds. */
export function podMetrics({ pod, containers }: PodUsage, now: number): KubeObject {
  const measured = containers.map(({ name, ...usage }) => ({ name, usage: quantities(usage) }));
  return { ...measurement("PodMetrics", pod, now), containers: measured };
}

/** Makes a NodeMetrics: the sum of the usage of the node's pods. */
export function nodeMetrics(node: KubeObject, pods: readonly PodUsage[], now: number): KubeObject {
  const all = pods.flatMap(({ containers }) => containers);
  const usage = quantities({
    cpuNanoCores: all.reduce((sum, { cpuNanoCores }) => sum + cpuNanoCores, 0),
    memoryBytes: all.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  });
  return { ...measurement("NodeMetrics", node, now), usage };
}

function measurement(kind: string, { metadata = {} }: KubeObject, now: number): KubeObject {
  const { name = "", namespace, labels } = metadata;
  const timestamp = formatTime(now);
  return {
    kind,
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      creationTimestamp: timestamp,
      ...(labels && { labels }),
    },
    timestamp,
    window: WINDOW,
  };
}

const quantities = ({ cpuNanoCores, memoryBytes }: Usage): JsonObject => ({
  cpu: formatQuantity({ unscaled: BigInt(Math.round(cpuNanoCores)), scale: -9, format: "DecimalSI" }),
  memory: formatQuantity({ unscaled: BigInt(Math.round(memoryBytes)), scale: 0, format: "BinarySI" }),
});

/** The usage of an object as a table shows it: that of a pod is the sum of its containers'. */
export function usageCells(metrics: KubeObject): readonly string[] {
  const parts = metrics.kind === "NodeMetrics" ? [metrics] : objects(metrics["containers"]);
  const total = (resource: string): string =>
    formatQuantity(
      parts
        .map((one) => parseQuantity(text(object(one["usage"])[resource])))
        .reduce((sum, one) => addQuantities(sum, one), zeroQuantity),
    );
  return [total("cpu"), total("memory")];
}

/** The current usage of a pod or a container. */
export interface Usage {
  /** Processor time per second, in nanoseconds. */
  readonly cpuNanoCores: number;
  readonly memoryBytes: number;
}

export interface PodUsage {
  /** Its metadata is shown with what it uses. */
  readonly pod: KubeObject;
  readonly containers: readonly (Usage & { readonly name: string })[];
}

/** The source of the pods' usage for the metrics API. */
export interface UsageSource {
  /** The pods that run and that `wanted` selects. Those of which nothing is known are left out. */
  pods(wanted: (pod: KubeObject) => boolean): Promise<readonly PodUsage[]>;
  /** What the running pods of each of these nodes use. Nodes that are not known, or do not answer, are left out. */
  nodes(names: readonly string[]): Promise<ReadonlyMap<string, readonly PodUsage[]>>;
}
