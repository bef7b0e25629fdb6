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

/** Lets an item be tried a few times soon, then after a longer wait. Items do not affect each other. */
export class ItemFastSlowRateLimiter<T> extends RequeueCounts<T> implements RateLimiter<T> {
  constructor(private readonly options: ItemFastSlowOptions) {
    super();
  }

  when(item: T): number {
    const { fastMilliseconds, slowMilliseconds, maxFastAttempts } = this.options;
    return this.increment(item) < maxFastAttempts ? fastMilliseconds : slowMilliseconds;
  }
}
