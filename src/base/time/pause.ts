import type { Timers } from "./timers.js";

/** Resolves after that time, or at once when `signal` aborts. Leaves no timer and no listener behind. */
export function pause(timers: Timers, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = timers.start(milliseconds, done);
    signal?.addEventListener("abort", done, { once: true });
    function done(): void {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
