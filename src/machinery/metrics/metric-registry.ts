/** Values of a metric's labels, by their names. */
export type MetricLabels = Readonly<Record<string, string>>;

/** What a metric is called, and which labels its values have. */
export interface MetricDescription {
  /** "workqueue_depth". */
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/**
 * Where a library's metrics go. prom-client and OpenTelemetry satisfy it with a line for each method; {@link MetricTable} is one of the
 * project's own.
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
