import { checkOption } from "./check-option.js";
import type { RateLimiter } from "./rate-limiter.js";
import { RequeueCounts } from "./requeue-counts.js";

export interface ItemExponentialFailureOptions {
  /** The first wait of an item. */
  readonly baseMilliseconds: number;
  /** No wait is longer. */
  readonly maxMilliseconds: number;
}

/** Doubles an item's wait with each try, up to a limit. Items do not affect each other. Throws a RangeError for waits that are not above 0. */
export class ItemExponentialFailureRateLimiter<T> extends RequeueCounts<T> implements RateLimiter<T> {
  constructor(private readonly options: ItemExponentialFailureOptions) {
    super();
    checkOption("baseMilliseconds", options.baseMilliseconds, "above 0");
    checkOption("maxMilliseconds", options.maxMilliseconds, "above 0");
  }

  when(item: T): number {
    const { baseMilliseconds, maxMilliseconds } = this.options;
    return Math.min(baseMilliseconds * 2 ** this.increment(item), maxMilliseconds);
  }
}
