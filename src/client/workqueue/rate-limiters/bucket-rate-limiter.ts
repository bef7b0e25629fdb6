import { startStopwatch, type Stopwatch } from "../../../base/time/stopwatch.js";
import { checkOption } from "./check-option.js";
import type { RateLimiter } from "./rate-limiter.js";

export interface BucketOptions {
  /** How many tokens flow into the bucket each second. */
  readonly perSecond: number;
  /** How many tokens the bucket holds. It starts full. */
  readonly burst: number;
  /** Measures the time between tries. Default: the process's monotonic time. */
  readonly stopwatch?: Stopwatch;
}

/**
 * A token bucket for all items together. Each try takes a token; without one it waits for a token that no earlier try waits
 * for. It does not count tries of an item: {@link requeues} is always 0. Throws a RangeError for a rate or a burst that is
 * not above 0.
 */
export class BucketRateLimiter<T> implements RateLimiter<T> {
  readonly #stopwatch: Stopwatch;
  readonly #perSecond: number;
  readonly #burst: number;
  /** Below 0: tokens that tries already wait for. */
  #tokens: number;
  /** When `#tokens` was right. */
  #at: number;

  constructor({ perSecond, burst, stopwatch = startStopwatch() }: BucketOptions) {
    checkOption("perSecond", perSecond, "above 0");
    checkOption("burst", burst, "above 0");
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#stopwatch = stopwatch;
    this.#at = stopwatch();
  }

  when(_item: T): number {
    const now = this.#stopwatch();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) * this.#perSecond) / 1000) - 1;
    this.#at = now;
    return Math.max(0, (-this.#tokens * 1000) / this.#perSecond);
  }

  forget(_item: T): void {}

  requeues(_item: T): number {
    return 0;
  }
}
