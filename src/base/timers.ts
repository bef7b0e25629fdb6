/** Calls back later. Everything that waits is given one, so that a test can decide when time passes. */
export interface Timers {
  /** Calls `callback` once, after `milliseconds`. The answer cancels it. */
  start(milliseconds: number, callback: () => void): () => void;
}

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
