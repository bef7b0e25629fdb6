import type { MetricRegistry } from "../../machinery/metrics/metric-registry.js";
import type { QueueStats } from "./duration-histogram.js";

/** The registry in which a queue registers its metrics, under the queue's name. */
export interface QueueMetricsOptions {
  readonly registry: MetricRegistry;
  readonly name: string;
}

/** client-go's bounds of durations, in seconds. */
export const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

/** The metrics of queues: client-go's names and helps. */
export const QUEUE_METRICS = {
  depth: { name: "workqueue_depth", help: "Current depth of workqueue", labelNames: ["name"] },
  adds: { name: "workqueue_adds_total", help: "Total number of adds handled by workqueue", labelNames: ["name"] },
  retries: {
    name: "workqueue_retries_total",
    help: "Total number of retries handled by workqueue",
    labelNames: ["name"],
  },
  queueDuration: {
    name: "workqueue_queue_duration_seconds",
    help: "How long in seconds an item stays in workqueue before being requested.",
    labelNames: ["name"],
    buckets: QUEUE_BUCKETS,
  },
  workDuration: {
    name: "workqueue_work_duration_seconds",
    help: "How long in seconds processing an item from workqueue takes.",
    labelNames: ["name"],
    buckets: QUEUE_BUCKETS,
  },
  unfinished: {
    name: "workqueue_unfinished_work_seconds",
    help: "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    labelNames: ["name"],
  },
  longest: {
    name: "workqueue_longest_running_processor_seconds",
    help: "How many seconds has the longest running processor for workqueue been running.",
    labelNames: ["name"],
  },
} as const;

/** Updates the metrics of a queue in a registry. */
export class QueueMetrics {
  readonly #labels: { readonly name: string };
  readonly #stats: () => QueueStats<unknown>;
  readonly #registered: ReturnType<typeof registered>;
  readonly #isRead: boolean;

  /** `stats` are those of the queue. */
  constructor({ registry, name }: QueueMetricsOptions, stats: () => QueueStats<unknown>) {
    this.#labels = { name };
    this.#stats = stats;
    this.#registered = registered(registry);
    this.#isRead = registry.onRead !== undefined;
    registry.onRead?.(() => this.#show());
  }

  added(): void {
    this.#registered.adds.add(1, this.#labels);
    this.#changed();
  }

  retried(): void {
    this.#registered.retries.add(1, this.#labels);
  }

  began(waitedSeconds: number): void {
    this.#registered.queueDuration.observe(waitedSeconds, this.#labels);
    this.#changed();
  }

  ended(workedSeconds: number): void {
    this.#registered.workDuration.observe(workedSeconds, this.#labels);
    this.#changed();
  }

  /** A registry that does not say when it is read holds what was last. */
  #changed(): void {
    if (!this.#isRead) this.#show();
  }

  #show(): void {
    const { depth, unfinishedWorkSeconds, longestRunning } = this.#stats();
    this.#registered.depth.set(depth, this.#labels);
    this.#registered.unfinished.set(unfinishedWorkSeconds, this.#labels);
    this.#registered.longest.set(longestRunning?.seconds ?? 0, this.#labels);
  }
}

type Registered = ReturnType<typeof makeAll>;

/** A registry refuses a second metric of a name: all queues share one. */
const known = new WeakMap<MetricRegistry, Registered>();

function registered(registry: MetricRegistry): Registered {
  const found = known.get(registry) ?? makeAll(registry);
  known.set(registry, found);
  return found;
}

function makeAll(registry: MetricRegistry) {
  return {
    depth: registry.gauge(QUEUE_METRICS.depth),
    adds: registry.counter(QUEUE_METRICS.adds),
    retries: registry.counter(QUEUE_METRICS.retries),
    queueDuration: registry.histogram(QUEUE_METRICS.queueDuration),
    workDuration: registry.histogram(QUEUE_METRICS.workDuration),
    unfinished: registry.gauge(QUEUE_METRICS.unfinished),
    longest: registry.gauge(QUEUE_METRICS.longest),
  };
}
