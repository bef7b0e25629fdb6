import type { RateLimiter } from "./rate-limiter.js";

/** Asks several rate limiters and takes the longest wait and the highest count. */
export class MaxOfRateLimiter<T> implements RateLimiter<T> {
  constructor(private readonly limiters: readonly RateLimiter<T>[]) {}

  when(item: T): number {
    return this.limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(item)), 0);
  }

  forget(item: T): void {
    for (const limiter of this.limiters) limiter.forget(item);
  }

  requeues(item: T): number {
    return this.limiters.reduce((most, limiter) => Math.max(most, limiter.requeues(item)), 0);
  }
}
