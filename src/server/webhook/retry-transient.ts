import { pause } from "../../base/time/pause.js";
import type { Random } from "../../base/numbers/random.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import type { Timers } from "../../base/time/timers.js";
import type { RetryBackoff } from "../../client/retry/retry-on-conflict.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { isStatusError } from "../../machinery/errors/status-error.js";

/** kube-apiserver's for webhooks of authentication and authorization, in milliseconds. */
export const WEBHOOK_BACKOFF: RetryBackoff = { steps: 5, duration: 500, factor: 1.5, jitter: 0.2 };

export interface RetryOptions {
  readonly backoff: RetryBackoff;
  readonly timers: Timers;
  readonly random: Random;
  /** Ends the tries: the last failure is thrown. */
  readonly signal: AbortSignal | undefined;
}

const JITTER_STEPS = 2 ** 20;

/** Calls a webhook again while it fails in a way that may pass. Throws what the last try failed with. */
export async function retryTransient<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { backoff, timers, random, signal } = options;
  const isOver = (): boolean => signal?.aborted === true;
  for (let step = 1; ; step += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error) || step >= backoff.steps || isOver()) throw error;
      const jitter = (backoff.jitter * randomBelow(random, JITTER_STEPS)) / JITTER_STEPS;
      await pause(timers, backoff.duration * backoff.factor ** (step - 1) * (1 + jitter), signal);
      if (isOver()) throw error;
    }
  }
}

const TRANSIENT: ReadonlySet<string> = new Set(["InternalError", "Timeout", "TooManyRequests", "ServerTimeout"]);

/** A connection that was reset, a server's own failure, or an answer that says when to come again. */
function isTransient(error: unknown): boolean {
  if (isTransportError(error)) return /connection reset by peer|http2: client connection lost/.test(error.reason);
  if (!isStatusError(error)) return false;
  const { reason = "", code, details } = error.status;
  return TRANSIENT.has(reason) || code === 429 || (details?.retryAfterSeconds ?? 0) > 0;
}
