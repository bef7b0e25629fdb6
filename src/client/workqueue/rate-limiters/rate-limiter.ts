/** Chooses how long items wait before they are tried again. */
export interface RateLimiter<T> {
  /** Counts a try of an item. Returns the milliseconds that it has to wait: 0 or more. */
  when(item: T): number;
  /** Forgets the tries of an item. */
  forget(item: T): void;
  /** How many tries of an item were counted since the last {@link forget}. */
  requeues(item: T): number;
}
