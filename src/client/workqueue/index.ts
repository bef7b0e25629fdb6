/** Work queues of controllers, as client-go's util/workqueue has them. */
export { DelayingQueue, type DelayingQueueOptions } from "./delaying-queue.js";
export type { DurationDistribution } from "./duration-histogram.js";
export type { WorkFailure } from "./failure-reports.js";
export type { QueueStats } from "./queue-stats.js";
export { type BucketOptions, BucketRateLimiter } from "./rate-limiters/bucket-rate-limiter.js";
export { defaultControllerRateLimiter } from "./rate-limiters/default-controller-rate-limiter.js";
export {
  type ItemExponentialFailureOptions,
  ItemExponentialFailureRateLimiter,
} from "./rate-limiters/item-exponential-failure-rate-limiter.js";
export { type ItemFastSlowOptions, ItemFastSlowRateLimiter } from "./rate-limiters/item-fast-slow-rate-limiter.js";
export { MaxOfRateLimiter } from "./rate-limiters/max-of-rate-limiter.js";
export type { RateLimiter } from "./rate-limiters/rate-limiter.js";
export { RateLimitingQueue, type RateLimitingQueueOptions } from "./rate-limiting-queue.js";
export { type Outcome, runWorkers, type RunWorkersOptions } from "./run-workers.js";
export { type QueueItem, WorkQueue, type WorkQueueOptions } from "./work-queue.js";
