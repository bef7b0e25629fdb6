import { inSlices } from "../base/async/time-slice.js";
import { expositionFor } from "../machinery/metrics/exposition.js";
import type { MetricRegistry } from "../machinery/metrics/metric-registry.js";
import { MetricTable } from "../machinery/metrics/metric-table.js";

/** A registry that Prometheus reads. */
export interface OwnMetricRegistry extends MetricRegistry {
  /** Writes all metrics that have values: as OpenMetrics where the header Accept of a scrape prefers that, else as Prometheus' text. */
  read(accept?: string): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Makes a registry for {@link import("./manager/manager.js").ManagerOptions.metrics} and for metrics of one's own. It needs no package. */
export function metricRegistry(): OwnMetricRegistry {
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
