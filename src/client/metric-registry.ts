import type { MetricRegistry } from "../machinery/metrics/metric-registry.js";

/** A registry that Prometheus reads. */
export interface OwnMetricRegistry extends MetricRegistry {
  /** Writes all metrics that have values: as OpenMetrics where the header Accept of a scrape prefers that, else as Prometheus' text. */
  read(accept?: string): Promise<{ readonly contentType: string; readonly body: string }>;
}

/**
 * Makes a registry for {@link import("./manager/manager.js").ManagerOptions.metrics} and for metrics of one's own. It needs no package, and is loaded
 * by this call.
 */
export async function metricRegistry(): Promise<OwnMetricRegistry> {
  const [{ MetricTable }, { expositionFor }, { inSlices }] = await Promise.all([
    import("../machinery/metrics/metric-table.js"),
    import("../machinery/metrics/exposition.js"),
    import("../base/async/time-slice.js"),
  ]);
  const table = new MetricTable();
  return {
    counter: (description) => table.counter(description),
    gauge: (description) => table.gauge(description),
    histogram: (description) => table.histogram(description),
    onRead: (read) => table.onRead(read),
    async read(accept) {
      const { contentType, write } = expositionFor(accept);
      // Those about the registry itself are Kubernetes' programs'.
      const families = (await table.read()).filter(({ definition }) => definition.stability === undefined);
      return { contentType, body: await inSlices(write(families)) };
    },
  };
}
