/** Returns the milliseconds since it was started. They do not jump when the wall clock is set. */
export type Stopwatch = () => number;

/** Starts measuring. For waits that last as long as real timers do. */
export function startStopwatch(): Stopwatch {
  const start = performance.now();
  return () => performance.now() - start;
}
