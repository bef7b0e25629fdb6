import type { FieldsOf } from "../../machinery/meta/received.js";
import type { CrossVersionObjectReference } from "../../api/types/autoscaling/v2.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ServedMetrics } from "./served-metrics.js";
import type { MetricQuery, MetricsSource } from "./metrics-source.js";
import { type PodMetrics, type PodMetric, thousandths } from "./pod-metrics.js";
import { own } from "../../base/collections/own.js";
import { parseGoDuration } from "../../base/text/go-literals.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { object, objects, text } from "../../machinery/meta/access.js";

/** Reads the metrics of autoscalers. Values are thousandths of the metric's unit. Each function throws where a metric is missing. */
export interface MetricReader {
  resource(query: ResourceQuery): Promise<PodMetrics>;
  /** `selector` is that of the pods. */
  pods(query: MetricQuery, pods: readonly Pod[], selector: string): Promise<PodMetrics>;
  object(query: MetricQuery, object: CrossVersionObjectReference): Promise<number>;
  /** The sum of the metric's series. */
  external(query: MetricQuery): Promise<number>;
}

/** How long a custom metric is measured unless it says so. Milliseconds. */
const WINDOW_MS = 60_000;

/** Makes a reader that takes metrics from `source` where that has them, and from the metrics APIs otherwise. */
export function metricReader(
  client: KubernetesClient,
  served: ServedMetrics,
  source: MetricsSource | undefined,
  now: () => number,
): MetricReader {
  const custom = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      throw new Error(`unable to fetch metrics from custom metrics API: ${(error as Error).message}`);
    }
  };
  return {
    resource: (query) => resourceMetrics(client, query),
    async pods(query, pods, selector) {
      const names = pods.map(({ metadata }) => metadata?.name ?? "");
      const metrics = await custom(async () => {
        if (source?.pods === undefined) return served.pods(query, selector);
        const values = await source.pods({ ...query, pods: names });
        return new Map(
          Object.entries(values).map(([name, value]) => [
            name,
            { value: toThousandths(value), at: now(), window: WINDOW_MS },
          ]),
        );
      });
      if (metrics.size === 0) throw new Error("no metrics returned from custom metrics API");
      return metrics;
    },
    object: (query, { apiVersion, kind, name }) =>
      custom(async () => {
        const described = {
          ...(apiVersion !== undefined && ({ apiVersion } satisfies FieldsOf<CrossVersionObjectReference>)),
          kind,
          name,
        };
        if (source?.object === undefined) return served.object(query, described);
        return toThousandths(await source.object({ ...query, object: described }));
      }),
    async external(query) {
      let values: readonly number[];
      try {
        values =
          source?.external === undefined
            ? await served.external(query)
            : (await source.external(query)).map(toThousandths);
      } catch (error) {
        throw new Error(`unable to fetch metrics from external metrics API: ${(error as Error).message}`);
      }
      if (values.length === 0) throw new Error("no metrics returned from external metrics API");
      return values.reduce((sum, value) => sum + value, 0);
    },
  };
}

/** Rounded up, as quantities are. */
const toThousandths = (value: number): number => Math.ceil(value * 1000);

const PODS = { group: "metrics.k8s.io", version: "v1beta1", resource: "pods", namespaced: true } as const;

/**
 * What the pods that `selector` selects use of a resource, as metrics.k8s.io has it; of one container where `container` is not "".
 * Throws where there are no metrics.
 */
async function resourceMetrics(
  client: KubernetesClient,
  { namespace, selector, resource, container }: ResourceQuery,
): Promise<PodMetrics> {
  const items = await podMetrics(client, namespace, selector).catch((error: unknown) => {
    throw new Error(`unable to fetch metrics from resource metrics API: ${(error as Error).message}`);
  });
  if (items.length === 0) throw new Error("no metrics returned from resource metrics API");
  return usageOf(items, resource, container);
}

interface ResourceQuery {
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
