/** Calls functions later. All code that waits gets its timers from its caller, so that a test decides when time passes. */
export interface Timers {
  /** Calls `callback` once, after `milliseconds`. The returned function cancels that. */
  start(milliseconds: number, callback: () => void): () => void;
  /** The stopwatch that agrees with driven timers; see {@link stopwatchOf}. */
  readonly stopwatch?: StartStopwatch;
  /**
   * Runs work during which driven timers do not move on, unless the work waits for a timer that it started. `describe` names the work, and
   * returns undefined once no waiting code needs it. Only the timers of a manual clock have this method.
   */
  during?<T>(describe: () => string | undefined, work: () => Promise<T> | T): Promise<T>;
}

/** Returns whether time passes only when nothing is under way. Code that waits for an answer then waits as long as it takes. */
export const areDriven = (timers: Timers): boolean => timers.during !== undefined;

/** Longer waits overflow Node's timers and would fire at once. */
const LONGEST = 2 ** 31 - 1;

/** The system's timers. They do not keep the process alive. */
export const systemTimers: Timers = {
  start(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, LONGEST));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Timers that keep the process alive until they fire or are cancelled. Work that waits for its server to come back holds no socket, so that
 * Node would end the process.
 */
export const workTimers: Timers = {
  start(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, LONGEST));
    return () => clearTimeout(timer);
  },
};

/** Returns the milliseconds since the start. Changes of the wall clock do not affect them. */
export type Stopwatch = () => number;

/**
 * Starts measuring, as {@link startStopwatch} does. Code that measures repeatedly gets this function from its caller, so that a
 * test can drive it.
 */
export type StartStopwatch = () => Stopwatch;

/** Starts measuring by the process's monotonic time, as real timers run. */
export function startStopwatch(): Stopwatch {
  const start = performance.now();
  return () => performance.now() - start;
}

/** Returns the stopwatch that fits `timers`: their own where they are driven, else the process's monotonic time. */
export const stopwatchOf = (timers: Timers): StartStopwatch => timers.stopwatch ?? startStopwatch;
