import type { Timers } from "../base/time/timers.js";

/** Thrown when an action has not finished within its time limit. */
export class TimedOutError extends Error {
  override readonly name = "TimedOutError";
}

/** The end of an action: its caller's signal or its time limit, whichever comes first. */
export interface TimeLimit {
  /** Aborts at the end. */
  readonly deadline: AbortSignal;
  /** Whether the time is over. False where the caller aborted before. */
  readonly isOver: () => boolean;
  /** Cancels the timer. */
  readonly end: () => void;
}

/** Starts a time limit of `timeout` milliseconds. Undefined sets no limit; 0 or less has expired at once. The caller must end it. */
export function startTimeLimit(timers: Timers, timeout: number | undefined, signal?: AbortSignal): TimeLimit {
  const time = new AbortController();
  let cancel = (): void => undefined;
  if (timeout !== undefined && timeout > 0) cancel = timers.start(timeout, () => time.abort());
  else if (timeout !== undefined) time.abort();
  const deadline = signal === undefined ? time.signal : AbortSignal.any([signal, time.signal]);
  return {
    deadline,
    isOver: () => time.signal.aborted && signal?.aborted !== true,
    end: cancel,
  };
}
