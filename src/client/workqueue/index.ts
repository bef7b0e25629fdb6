/** Work queues of controllers, as client-go's util/workqueue has them. */
export { DelayingQueue, type DelayingQueueOptions } from "./delaying-queue.js";
export type { DurationDistribution } from "./duration-histogram.js";
export type { WorkFailure } from "./run-workers.js";
export type { QueueStats } from "./duration-histogram.js";
export type { QueueMetricsOptions } from "./queue-metrics.js";
export { type BucketOptions, BucketRateLimiter } from "./rate-limiters.js";
export { defaultControllerRateLimiter } from "./rate-limiters.js";
export {
  type ItemExponentialFailureOptions,
  ItemExponentialFailureRateLimiter,
} from "./rate-limiters.js";
export { type ItemFastSlowOptions, ItemFastSlowRateLimiter } from "./rate-limiters.js";
export { MaxOfRateLimiter } from "./rate-limiters.js";
export type { RateLimiter } from "./rate-limiters.js";
export { RateLimitingQueue, type RateLimitingQueueOptions } from "./delaying-queue.js";
export { type Outcome, runWorkers, type RunWorkersOptions } from "./run-workers.js";
export { type QueueItem, WorkQueue, type WorkQueueOptions } from "./work-queue.js";
