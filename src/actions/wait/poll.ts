import { startStopwatch } from "../../base/time/timers.js";

export interface PollOptions {
  /** Milliseconds from one question to the next. */
  readonly interval: number;
  /** Milliseconds for all of it; Infinity has no end. */
  readonly timeout: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Calls `ask` at once and then once per interval. Resolves with true when it answers true, with false when the time is over. */
export async function poll(ask: () => Promise<boolean>, { interval, timeout, sleep }: PollOptions): Promise<boolean> {
  const elapsed = startStopwatch();
  for (;;) {
    if (await ask()) return true;
    const left = timeout - elapsed();
    if (left > 0) await sleep(Math.min(interval, left));
    if (left <= interval) return false;
  }
}
