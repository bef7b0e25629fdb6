import { checkOption } from "./check-option.js";
import type { RateLimiter } from "./rate-limiter.js";
import { RequeueCounts } from "./requeue-counts.js";

export interface ItemFastSlowOptions {
  /** The wait of an item's first tries. */
  readonly fastMilliseconds: number;
  /** The wait of all later ones. */
  readonly slowMilliseconds: number;
  /** How many tries are fast. */
  readonly maxFastAttempts: number;
}

/** Lets an item be tried a few times soon, then after a longer wait. Items do not affect each other. Throws a RangeError for options below 0. */
export class ItemFastSlowRateLimiter<T> extends RequeueCounts<T> implements RateLimiter<T> {
  constructor(private readonly options: ItemFastSlowOptions) {
    super();
    checkOption("fastMilliseconds", options.fastMilliseconds, "0 or more");
    checkOption("slowMilliseconds", options.slowMilliseconds, "0 or more");
    checkOption("maxFastAttempts", options.maxFastAttempts, "0 or more");
  }

  when(item: T): number {
    const { fastMilliseconds, slowMilliseconds, maxFastAttempts } = this.options;
    return this.increment(item) < maxFastAttempts ? fastMilliseconds : slowMilliseconds;
  }
}
