import type { StartStopwatch } from "./stopwatch.js";

/** Calls back later. Everything that waits is given one, so that a test can decide when time passes. */
export interface Timers {
  /** Calls `callback` once, after `milliseconds`. The answer cancels it. */
  start(milliseconds: number, callback: () => void): () => void;
  /** Driven timers have the stopwatch that agrees with them; see {@link stopwatchOf}. */
  readonly stopwatch?: StartStopwatch;
  /**
   * Driven timers have it. Does work that `describe` names, and lets no time pass meanwhile, unless the work waits for a timer that it
   * started. `describe` answers undefined once the work need not be waited for.
   */
  during?<T>(describe: () => string | undefined, work: () => Promise<T> | T): Promise<T>;
}

/** Whether time passes only when nothing is under way: what waits for an answer then waits as long as it takes. */
export const areDriven = (timers: Timers): boolean => timers.during !== undefined;

/** Longer waits overflow Node's timers and would fire at once. */
const LONGEST = 2 ** 31 - 1;

/** Timers that do not keep the process alive: what else runs in it decides how long it lives. */
export const systemTimers: Timers = {
  start(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, LONGEST));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
