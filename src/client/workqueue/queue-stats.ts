import type { DurationDistribution } from "./duration-histogram.js";

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
