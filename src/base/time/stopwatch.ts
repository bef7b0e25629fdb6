import type { Timers } from "./timers.js";

/** Returns the milliseconds since it was started. They do not jump when the wall clock is set. */
export type Stopwatch = () => number;

/** Starts measuring, as {@link startStopwatch} does. What measures again and again is given one, so that a test can drive it. */
export type StartStopwatch = () => Stopwatch;

/** Starts measuring. For waits that last as long as real timers do. */
export function startStopwatch(): Stopwatch {
  const start = performance.now();
  return () => performance.now() - start;
}

/** How to measure beside `timers`: by their own stopwatch where they are driven, else by the process's monotonic time. */
export const stopwatchOf = (timers: Timers): StartStopwatch => timers.stopwatch ?? startStopwatch;
