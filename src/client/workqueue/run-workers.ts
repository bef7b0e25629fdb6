import { startStopwatch, type Stopwatch } from "../../base/time/timers.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";
import type { RateLimitingQueue } from "./delaying-queue.js";
import type { QueueItem } from "./work-queue.js";

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
class FailureReports<T> {
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

/**
 * The outcome for an item:
 * - "done": nothing is left to do;
 * - "again": it is retried after a wait that the rate limiter chooses;
 * - `afterMilliseconds`: it is done, and is processed again after that time.
 */
export type Outcome = "done" | "again" | { readonly afterMilliseconds: number };

export interface RunWorkersOptions<T> {
  /** How many items are processed at a time: 1 or more. */
  readonly workers: number;
  /** Stops the workers when it aborts. */
  readonly signal: AbortSignal;
  /**
   * Processes an item; returning nothing means "done". Never called for an item that is still being processed. What it throws
   * is reported, and the item is tried again after a wait that the rate limiter chooses. It should stop early when the signal
   * aborts.
   */
  readonly work: (item: T, signal: AbortSignal) => Promise<Outcome | void> | Outcome | void;
  /**
   * Receives an item's first failure, then at most one each period while the item goes on failing. What it throws becomes
   * an uncaught exception of the process; the workers go on.
   */
  readonly report: (failure: WorkFailure<T>) => void;
  /** The period of reports of one item. Default: 60000. */
  readonly reportPeriodMilliseconds?: number;
  /** Measures that period. Default: the process's monotonic time. */
  readonly stopwatch?: Stopwatch;
}

const REPORT_PERIOD_MS = 60_000;

/**
 * Processes a queue's items until the queue is shut down and empty, or the signal aborts. An abort shuts the queue down:
 * items that wait are left, those that are being processed are finished. Resolves when no work runs any more. Work that
 * never ends holds one worker; `queue.stats().longestRunning` names its item. Many short items do not hold up the event loop.
 * Throws a RangeError if `workers` is not a whole number above 0, and what the queue's rate limiter throws; that shuts the
 * queue down too.
 */
export async function runWorkers<T extends QueueItem>(
  queue: RateLimitingQueue<T>,
  options: RunWorkersOptions<T>,
): Promise<void> {
  const { workers, signal, work, report, reportPeriodMilliseconds = REPORT_PERIOD_MS } = options;
  if (!Number.isInteger(workers) || workers < 1) {
    throw new RangeError(`the number of workers is ${workers}; give a whole number above 0`);
  }
  const { stopwatch = startStopwatch() } = options;
  const reports = new FailureReports<T>(loudly(report), stopwatch, reportPeriodMilliseconds);

  async function worker(): Promise<void> {
    while (!signal.aborted) {
      const item = await queue.get();
      if (item === undefined) return;
      try {
        await processItem(item);
      } finally {
        queue.done(item);
      }
      if (sliceIsSpent()) await nextSlice();
    }
  }

  async function processItem(item: T): Promise<void> {
    // The signal may have aborted since the queue gave the item out.
    if (signal.aborted) return;
    try {
      const outcome = checkedOutcome(await work(item, signal));
      if (outcome === "again") {
        queue.addRateLimited(item);
        return;
      }
      reports.succeeded(item);
      queue.forget(item);
      if (outcome !== "done") queue.addAfter(item, outcome.afterMilliseconds);
    } catch (error) {
      if (!isAbort(error, signal)) reports.failed(item, error);
      queue.addRateLimited(item);
    }
  }

  const stop = (): void => queue.shutDown();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const running = Array.from({ length: workers }, worker);
  try {
    await Promise.all(running);
  } catch (error) {
    stop();
    await Promise.allSettled(running);
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function checkedOutcome(outcome: Outcome | void): Outcome {
  if (outcome === undefined) return "done";
  if (outcome === "done" || outcome === "again") return outcome;
  const after: unknown = typeof outcome === "object" ? outcome?.afterMilliseconds : undefined;
  if (typeof after === "number" && !Number.isNaN(after)) return outcome;
  throw new TypeError(
    `work returned ${JSON.stringify(outcome)}; return nothing, "done", "again" or { afterMilliseconds: number }`,
  );
}

/** True for the error with which work ends because the signal aborted. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}

/** A report that throws must neither end a worker nor go unseen: the process gets its error as an uncaught one. */
function loudly<F>(report: (failure: F) => void): (failure: F) => void {
  return (failure) => {
    try {
      report(failure);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}
