import type { Stopwatch } from "../../base/time/stopwatch.js";

/** A report that the work on an item failed. */
export interface WorkFailure<T> {
  readonly item: T;
  /** What the work threw last. */
  readonly error: unknown;
  /** How many times the work failed since the last report of this item, this failure included. */
  readonly failures: number;
  /** How many times it failed since it last succeeded. */
  readonly failuresInARow: number;
}

/**
 * Reports an item's first failure at once, and while the item goes on failing at most one failure each period. An item that
 * succeeds begins anew.
 */
export class FailureReports<T> {
  readonly #failing = new Map<T, { reportedAt: number; failures: number; failuresInARow: number }>();

  constructor(
    private readonly report: (failure: WorkFailure<T>) => void,
    private readonly stopwatch: Stopwatch,
    private readonly periodMilliseconds: number,
  ) {}

  failed(item: T, error: unknown): void {
    const now = this.stopwatch();
    const known = this.#failing.get(item);
    const state = known ?? { reportedAt: now, failures: 0, failuresInARow: 0 };
    state.failures += 1;
    state.failuresInARow += 1;
    this.#failing.set(item, state);
    if (known !== undefined && now - known.reportedAt < this.periodMilliseconds) return;
    const { failures, failuresInARow } = state;
    state.reportedAt = now;
    state.failures = 0;
    this.report({ item, error, failures, failuresInARow });
  }

  succeeded(item: T): void {
    this.#failing.delete(item);
  }
}
