import { pause } from "../base/time/pause.js";
import { isStatusError } from "../machinery/errors/status-error.js";
import type { Timers } from "../base/time/timers.js";

export interface RepeatOptions {
  readonly milliseconds: number;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
}

/** Runs `work` every `milliseconds`, the first time when they have passed. What it throws is reported. Ends when `signal` aborts. */
export async function repeat(work: () => Promise<void>, options: RepeatOptions): Promise<void> {
  const { timers, signal, report, milliseconds } = options;
  for (;;) {
    await pause(timers, milliseconds, signal);
    if (signal.aborted) return;
    try {
      await work();
    } catch (error) {
      report(error);
    }
  }
}

const RETRY_MS = 1000;

/**
 * Runs `work` every second until it succeeds, or `signal` aborts. Resolves early where the API rejects it, as a policy may: the
 * work continues in the background, because a server that waited for it could never serve, and so the policy could never be
 * changed.
 */
export async function untilDone(
  work: () => Promise<void>,
  { timers, signal, report }: Omit<RepeatOptions, "milliseconds">,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work();
    } catch (error) {
      report(error);
      const again = pause(timers, RETRY_MS, signal);
      if (isStatusError(error) && error.status.code < 500) {
        void again.then(() => untilDone(work, { timers, signal, report }));
        return;
      }
      await again;
    }
  }
}
