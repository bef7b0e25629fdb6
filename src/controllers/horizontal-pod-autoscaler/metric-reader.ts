import type { CrossVersionObjectReference } from "../../api/types/autoscaling/v2.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { MetricQuery, MetricsSource } from "./metrics-source.js";
import type { PodMetrics } from "./pod-metrics.js";
import { resourceMetrics, type ResourceQuery } from "./resource-metrics.js";

/** Reads the metrics of autoscalers. Values are thousandths of the metric's unit. Each function throws where a metric is not known. */
export interface MetricReader {
  resource(query: ResourceQuery): Promise<PodMetrics>;
  pods(query: MetricQuery, pods: readonly Pod[]): Promise<PodMetrics>;
  object(query: MetricQuery, object: CrossVersionObjectReference): Promise<number>;
  /** The sum of the metric's series. */
  external(query: MetricQuery): Promise<number>;
}

/** How long a custom metric is measured unless it says so. Milliseconds. */
const WINDOW_MS = 60_000;
const NO_CUSTOM = "no custom metrics API (custom.metrics.k8s.io) registered";

/** Resource metrics come from the API, others from `source`. */
export function metricReader(
  client: KubernetesClient,
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
    async pods(query, pods) {
      const names = pods.map(({ metadata }) => metadata?.name ?? "");
      const values = await custom(async () => {
        if (source?.pods === undefined) throw new Error(NO_CUSTOM);
        return source.pods({ ...query, pods: names });
      });
      const entries = Object.entries(values);
      if (entries.length === 0) throw new Error("no metrics returned from custom metrics API");
      return new Map(
        entries.map(([name, value]) => [name, { value: toThousandths(value), at: now(), window: WINDOW_MS }]),
      );
    },
    object: (query, { apiVersion, kind, name }) =>
      custom(async () => {
        if (source?.object === undefined) throw new Error(NO_CUSTOM);
        const described = { ...(apiVersion !== undefined && { apiVersion }), kind, name };
        return toThousandths(await source.object({ ...query, object: described }));
      }),
    async external(query) {
      let values: readonly number[];
      try {
        if (source?.external === undefined) {
          const resource = `${query.metric}.external.metrics.k8s.io`;
          throw new Error(`the server could not find the requested resource (get ${resource})`);
        }
        values = await source.external(query);
      } catch (error) {
        throw new Error(`unable to fetch metrics from external metrics API: ${(error as Error).message}`);
      }
      if (values.length === 0) throw new Error("no metrics returned from external metrics API");
      return values.reduce((sum, value) => sum + toThousandths(value), 0);
    },
  };
}

/** Rounded up, as quantities are. */
const toThousandths = (value: number): number => Math.ceil(value * 1000);
