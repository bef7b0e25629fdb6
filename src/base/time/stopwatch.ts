import type { Timers } from "./timers.js";

/** Returns the milliseconds since the start. Changes of the wall clock do not affect them. */
export type Stopwatch = () => number;

/** Starts measuring, as {@link startStopwatch} does. Code that measures repeatedly is given this function, so that a test can drive it. */
export type StartStopwatch = () => Stopwatch;

/** Starts measuring by the process's monotonic time, as real timers run. */
export function startStopwatch(): Stopwatch {
  const start = performance.now();
  return () => performance.now() - start;
}

/** Returns the stopwatch that fits `timers`: their own where they are driven, else the process's monotonic time. */
export const stopwatchOf = (timers: Timers): StartStopwatch => timers.stopwatch ?? startStopwatch;
