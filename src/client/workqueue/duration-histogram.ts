/** Counts durations, as a Prometheus histogram does. */
export interface DurationDistribution {
  /** How many durations were measured. */
  readonly count: number;
  /** Their sum, in seconds. */
  readonly sumSeconds: number;
  /** How many of them were at most that many seconds. Buckets are cumulative; `count` is the one without a bound. */
  readonly buckets: readonly { readonly atMostSeconds: number; readonly count: number }[];
}

/** The bounds of controller-runtime's workqueue metrics, in seconds. */
const BOUNDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** Measured durations. A measurement costs a few comparisons and keeps no memory. */
export class DurationHistogram {
  #sumSeconds = 0;
  /** How many durations fell between a bound and the one before it; the last place is for those beyond all bounds. */
  readonly #counts = Array.from({ length: BOUNDS.length + 1 }, () => 0);

  observe(seconds: number): void {
    let place = 0;
    while (place < BOUNDS.length && seconds > (BOUNDS[place] ?? 0)) place++;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sumSeconds += seconds;
  }

  /** A copy, which later measurements do not change. */
  distribution(): DurationDistribution {
    let count = 0;
    const buckets = BOUNDS.map((atMostSeconds, place) => {
      count += this.#counts[place] ?? 0;
      return { atMostSeconds, count };
    });
    return { count: count + (this.#counts[BOUNDS.length] ?? 0), sumSeconds: this.#sumSeconds, buckets };
  }
}

/** A snapshot of a work queue. Each field names the metric that Kubernetes' components publish for it. */
export interface QueueStats<T> {
  /** `workqueue_depth`: items that wait to be processed, those included that wait for their own processing to end. */
  readonly depth: number;
  /** `workqueue_adds_total`: accepted adds. An add of an item that already waits is not one. */
  readonly adds: number;
  /** `workqueue_retries_total`: delayed and rate-limited adds. */
  readonly retries: number;
  /** Items that wait for their delay to pass. They are not part of `depth`. Kubernetes has no metric for them. */
  readonly delayed: number;
  /** Items that are being processed. `controller_runtime_active_workers` in operators written with controller-runtime. */
  readonly processing: number;
  /** `workqueue_queue_duration_seconds`: from the add to the start of processing. */
  readonly queueDuration: DurationDistribution;
  /** `workqueue_work_duration_seconds`: from the start of processing to its end. */
  readonly workDuration: DurationDistribution;
  /** `workqueue_unfinished_work_seconds`: how long the items in processing have been processed, added up. */
  readonly unfinishedWorkSeconds: number;
  /** `workqueue_longest_running_processor_seconds`, with its item; undefined while no item is being processed. */
  readonly longestRunning: { readonly item: T; readonly seconds: number } | undefined;
}
