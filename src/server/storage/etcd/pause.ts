import type { Timers } from "../../../base/timers.js";

/** Resolves after `milliseconds`, or when `signal` aborts. */
export function pause(timers: Timers, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = timers.start(milliseconds, done);
    signal.addEventListener("abort", done);
  });
}
