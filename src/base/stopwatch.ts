/** Starts measuring, as {@link startStopwatch} does. What measures long waits is given one, so that a test can drive it. */
export type Stopwatch = () => () => number;

/**
 * Starts measuring. Each call of the result returns the milliseconds since then, which do not jump when the wall clock is
 * set. For waits that last as long as real timers do.
 */
export function startStopwatch(): () => number {
  const start = performance.now();
  return () => performance.now() - start;
}
