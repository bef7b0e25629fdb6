import { own } from "../../base/collections/own.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { parseGoDuration } from "../../base/text/go-duration.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { object, objects, text } from "../../machinery/meta/access.js";
import type { PodMetric, PodMetrics } from "./pod-metrics.js";
import { thousandths } from "./pod-requests.js";

const PODS = { group: "metrics.k8s.io", version: "v1beta1", resource: "pods", namespaced: true } as const;

/**
 * What the pods that `selector` selects use of a resource, as metrics.k8s.io has it; of one container where `container` is not "".
 * Throws where there are no metrics.
 */
export async function resourceMetrics(
  client: KubernetesClient,
  { namespace, selector, resource, container }: ResourceQuery,
): Promise<PodMetrics> {
  const items = await podMetrics(client, namespace, selector).catch((error: unknown) => {
    throw new Error(`unable to fetch metrics from resource metrics API: ${(error as Error).message}`);
  });
  if (items.length === 0) throw new Error("no metrics returned from resource metrics API");
  return usageOf(items, resource, container);
}

export interface ResourceQuery {
  readonly namespace: string;
  readonly selector: string;
  readonly resource: string;
  readonly container: string;
}

async function podMetrics(
  client: KubernetesClient,
  namespace: string,
  selector: string,
): Promise<readonly KubeObject[]> {
  const { items } = await client.resource(PODS).namespace(namespace).list({ labelSelector: selector });
  return items;
}

// PodMetrics are no built-in kind: their objects stay untyped.

/** The usage of pods by name. A pod of which a container was not measured is left out. */
export function usageOf(items: readonly KubeObject[], resource: string, container: string): PodMetrics {
  const metrics = new Map<string, PodMetric>();
  for (const item of items) {
    const { name = "", namespace = "" } = item.metadata ?? {};
    const containers = objects(item["containers"]);
    const counted = container === "" ? containers : containers.filter((one) => text(one.name) === container);
    if (container !== "" && counted.length === 0) {
      throw new Error(
        `failed to get container metrics: container ${container} not present in metrics for pod ${namespace}/${name}`,
      );
    }
    const used = counted.map((one) => own(object(one.usage), resource));
    if (used.length === 0 || used.includes(undefined)) continue;
    metrics.set(name, {
      value: used.reduce<number>((sum, quantity) => sum + thousandths(text(quantity)), 0),
      at: Date.parse(text(item["timestamp"])),
      window: parseGoDuration(text(item["window"])) ?? 0,
    });
  }
  return metrics;
}
