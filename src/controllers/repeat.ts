import { pause } from "./pause.js";

export interface RepeatOptions {
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
  /** Called once, after the first run that did not fail. */
  readonly succeeded?: () => void;
}

const RETRY_MS = 1000;

/** Runs at once and every `milliseconds` from then on; until it has succeeded once, every second. Ends when `signal` aborts. */
export async function repeat(work: () => Promise<void>, options: RepeatOptions): Promise<void> {
  const { signal, report, milliseconds } = options;
  let { succeeded } = options;
  let wait = RETRY_MS;
  while (!signal.aborted) {
    try {
      await work();
      succeeded?.();
      succeeded = undefined;
      wait = milliseconds;
    } catch (error) {
      report(error);
    }
    await pause(wait, signal);
  }
}
