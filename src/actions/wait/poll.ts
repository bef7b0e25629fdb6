import { startStopwatch } from "../../base/time/timers.js";

export interface PollOptions {
  /** Milliseconds from one question to the next. */
  readonly interval: number;
  /** Milliseconds for all of it; Infinity has no end. */
  readonly timeout: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Asks at once, then once an interval; true when the answer was yes, false when the time was over before. */
export async function poll(ask: () => Promise<boolean>, { interval, timeout, sleep }: PollOptions): Promise<boolean> {
  const elapsed = startStopwatch();
  for (;;) {
    if (await ask()) return true;
    const left = timeout - elapsed();
    if (left > 0) await sleep(Math.min(interval, left));
    if (left <= interval) return false;
  }
}
