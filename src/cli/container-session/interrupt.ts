import { deferred } from "../../base/async/deferred.js";
import { silentExit } from "../errors.js";

/** A signal has ended the command; the process then dies of that signal. */
class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/**
 * The outcome of `work`, which is abandoned once the signal aborts. Then the command ends with `code`, or without one as a signal ends
 * a program.
 */
export async function interruptible<T>(signal: AbortSignal, work: Promise<T>, code?: number): Promise<T> {
  const { promise: aborted, reject } = deferred<never>();
  const abort = (): void => reject(code === undefined ? new InterruptedError() : silentExit(code));
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Ends quietly where {@link interruptible} work was interrupted: the program then dies of the signal. */
export async function endedBySignal(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
  }
}
