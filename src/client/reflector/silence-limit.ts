import { areDriven, type Timers } from "../../base/time/timers.js";
import { StalledError } from "./list-watch.js";

/** Ends an exchange in which the server falls silent, or that lasts too long. */
export interface SilenceLimit {
  /** Aborts with the caller's signal, or when the limit is reached. Its reason is a {@link StalledError} then. */
  readonly signal: AbortSignal;
  /** To be called for everything that the server sends. */
  heard(): void;
  /** Rejects when the signal aborts, so that the caller goes on even where the exchange does not end by it. */
  readonly reached: Promise<never>;
  /** The error to throw when the limit was reached. */
  stalled(): StalledError | undefined;
  /** To be called at the end: leaves no timer and no listener behind. */
  clear(): void;
}

/**
 * Ends a wait when nothing was received for one to two periods, or after `longest` milliseconds. It checks once a period, so that
 * an event costs no timer. Driven timers set no limit: their time stands still while the server has something to send.
 */
export function silenceLimit(timers: Timers, period: number, longest: number, caller: AbortSignal): SilenceLimit {
  const stop = new AbortController();
  const reached = new Promise<never>((_resolve, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason as Error), { once: true });
  });
  let heard = true;
  let stalled: StalledError | undefined;
  let elapsed = 0;
  let cancel = (): void => {};
  const follow = (): void => stop.abort(caller.reason);
  const give = (reason: string): void => {
    stalled = new StalledError(reason);
    stop.abort(stalled);
  };
  const look = (): void => {
    elapsed += period;
    if (!heard) give(`the server sent nothing for ${period / 1000} seconds`);
    else if (elapsed >= longest) give(`the server did not end the request in ${longest / 1000} seconds`);
    else {
      heard = false;
      cancel = timers.start(period, look);
    }
  };
  if (caller.aborted) follow();
  else {
    caller.addEventListener("abort", follow, { once: true });
    if (!areDriven(timers)) cancel = timers.start(period, look);
    heard = false;
  }
  return {
    signal: stop.signal,
    reached,
    heard: () => {
      heard = true;
    },
    stalled: () => stalled,
    clear: () => {
      cancel();
      caller.removeEventListener("abort", follow);
    },
  };
}
