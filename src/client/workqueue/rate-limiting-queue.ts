import { DelayingQueue, type DelayingQueueOptions, queueStopwatch } from "./delaying-queue.js";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.js";
import type { QueueItem } from "./work-queue.js";

export interface RateLimitingQueueOptions<T> extends DelayingQueueOptions {
  /** Says how long an item waits. Default: {@link defaultControllerRateLimiter}. */
  readonly rateLimiter?: RateLimiter<T>;
}

/** A delaying queue whose rate limiter chooses the delays: the queue of a controller. */
export class RateLimitingQueue<T extends QueueItem> extends DelayingQueue<T> {
  readonly #rateLimiter: RateLimiter<T>;

  constructor(options: RateLimitingQueueOptions<T> = {}) {
    const { stopwatch = queueStopwatch(options) } = options;
    super({ ...options, stopwatch });
    this.#rateLimiter = options.rateLimiter ?? defaultControllerRateLimiter<T>({ stopwatch });
  }

  /** Adds an item when the rate limiter allows it: usually later each time, until {@link forget}. */
  addRateLimited(item: T): void {
    this.addAfter(item, this.#rateLimiter.when(item));
  }

  /** Ends an item's retries: its next rate-limited add waits as the first one did. Call it when its processing succeeds or is given up. */
  forget(item: T): void {
    this.#rateLimiter.forget(item);
  }

  /** How many times the item was added rate limited since the last {@link forget}. */
  requeues(item: T): number {
    return this.#rateLimiter.requeues(item);
  }
}
