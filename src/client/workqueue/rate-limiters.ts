import { startStopwatch, type Stopwatch } from "../../base/time/timers.js";

export interface BucketOptions {
  /** How many tokens flow into the bucket each second. */
  readonly perSecond: number;
  /** How many tokens the bucket holds. It starts full. */
  readonly burst: number;
  /** Measures the time between tries. Default: the process's monotonic time. */
  readonly stopwatch?: Stopwatch;
}

/**
 * A token bucket for all items together. Each attempt takes a token, or waits for a token that no earlier attempt waits for. It
 * does not count attempts of an item: {@link requeues} is always 0. Throws a RangeError for a rate or a burst that is not above 0.
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

/** Throws a RangeError that names a rate limiter's option and its value, unless the value is a finite number that keeps the rule. */
function checkOption(option: string, value: number, rule: "above 0" | "0 or more"): void {
  if (Number.isFinite(value) && (rule === "above 0" ? value > 0 : value >= 0)) return;
  throw new RangeError(`${option} of a rate limiter is ${value}; give a number that is ${rule}`);
}

/**
 * client-go's default for controllers: the wait of an item grows from 5 ms, doubled each time, to 1000 s; all items together may
 * have 100 retries at once, and 10 per second after that.
 */
export function defaultControllerRateLimiter<T>(options: { readonly stopwatch?: Stopwatch } = {}): RateLimiter<T> {
  return new MaxOfRateLimiter<T>([
    new ItemExponentialFailureRateLimiter<T>({ baseMilliseconds: 5, maxMilliseconds: 1_000_000 }),
    new BucketRateLimiter<T>({ perSecond: 10, burst: 100, ...options }),
  ]);
}

/** Counts the tries of each item: what the rate limiters that work by item have in common. */
class RequeueCounts<T> {
  readonly #counts = new Map<T, number>();

  /** Counts a try. Returns how many there were before. */
  protected increment(item: T): number {
    const before = this.requeues(item);
    this.#counts.set(item, before + 1);
    return before;
  }

  forget(item: T): void {
    this.#counts.delete(item);
  }

  requeues(item: T): number {
    return this.#counts.get(item) ?? 0;
  }
}

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

export interface ItemFastSlowOptions {
  /** The wait of an item's first tries. */
  readonly fastMilliseconds: number;
  /** The wait of all later ones. */
  readonly slowMilliseconds: number;
  /** How many tries are fast. */
  readonly maxFastAttempts: number;
}

/** Retries an item quickly for some attempts, and slowly after that. Items do not affect each other. Throws a RangeError for options below 0. */
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

/** Combines several rate limiters: the longest wait and the highest count win. */
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

/** Chooses how long items wait before they are tried again. */
export interface RateLimiter<T> {
  /** Counts a try of an item. Returns the milliseconds that it has to wait: 0 or more. */
  when(item: T): number;
  /** Forgets the tries of an item. */
  forget(item: T): void;
  /** How many tries of an item were counted since the last {@link forget}. */
  requeues(item: T): number;
}
