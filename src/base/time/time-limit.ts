import type { Timers } from "./timers.js";

export interface TimeLimit {
  readonly timers: Timers;
  readonly milliseconds: number;
  /** Ends the work before the time is over. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs work that ends by itself, or when the time is over or the signal aborts: then the signal of the work aborts and the
 * call rejects with its reason, even when the work does not listen. Leaves no timer and no listener behind.
 */
export async function withTimeLimit<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { timers, milliseconds, signal: outer } = limit;
  outer?.throwIfAborted();
  // Not AbortSignal.any: a signal that outlives many pieces of work would collect theirs.
  const ending = new AbortController();
  const abort = () => ending.abort(outer?.reason);
  outer?.addEventListener("abort", abort, { once: true });
  const cancel = timers.start(milliseconds, () => ending.abort(new Error(`no answer within ${milliseconds} ms`)));
  try {
    return await new Promise<T>((resolve, reject) => {
      ending.signal.addEventListener("abort", () => reject(ending.signal.reason as Error), { once: true });
      work(ending.signal).then(resolve, reject);
    });
  } finally {
    cancel();
    outer?.removeEventListener("abort", abort);
  }
}
