/** Values of a metric's labels, by their names. */
export type MetricLabels = Readonly<Record<string, string>>;

/** The name, help and label names of a metric. */
export interface MetricDescription {
  /** "workqueue_depth". */
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/**
 * The registry in which a library registers its metrics. Adapters for prom-client and OpenTelemetry need one line per method;
 * {@link MetricTable} is the project's own.
 */
export interface MetricRegistry {
  /** A number that only grows. */
  counter(description: MetricDescription): { add(value: number, labels: MetricLabels): void };
  /** A number that rises and falls. */
  gauge(description: MetricDescription): { set(value: number, labels: MetricLabels): void };
  /** A distribution; `buckets` are upper bounds, ascending. */
  histogram(description: MetricDescription & { readonly buckets: readonly number[] }): {
    observe(value: number, labels: MetricLabels): void;
  };
  /** Calls `read` before each reading of the registry. Absent: gauges hold what was set last. */
  readonly onRead?: (read: () => void) => void;
}
