import type { Stopwatch } from "../../../base/time/stopwatch.js";
import { BucketRateLimiter } from "./bucket-rate-limiter.js";
import { ItemExponentialFailureRateLimiter } from "./item-exponential-failure-rate-limiter.js";
import { MaxOfRateLimiter } from "./max-of-rate-limiter.js";
import type { RateLimiter } from "./rate-limiter.js";

/**
 * client-go's default for controllers: an item waits 5 ms, then twice as long each time, up to 1000 s; all items together are
 * retried 10 times a second once 100 retries were at once.
 */
export function defaultControllerRateLimiter<T>(options: { readonly stopwatch?: Stopwatch } = {}): RateLimiter<T> {
  return new MaxOfRateLimiter<T>([
    new ItemExponentialFailureRateLimiter<T>({ baseMilliseconds: 5, maxMilliseconds: 1_000_000 }),
    new BucketRateLimiter<T>({ perSecond: 10, burst: 100, ...options }),
  ]);
}
