import { pause } from "../../base/time/pause.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import { isConflict } from "../../machinery/errors/status-error.js";
import { type Surroundings, surroundingsOf } from "../surroundings.js";

/** The number of attempts, and the pauses between them. */
export interface RetryBackoff {
  /** How many tries, the first included. */
  readonly steps: number;
  /** The first pause, in milliseconds. */
  readonly duration: number;
  /** Each further pause is this many times as long. */
  readonly factor: number;
  /** Each pause is longer by up to this part of it, at random. */
  readonly jitter: number;
}

/** client-go's DefaultRetry: for objects that several clients change all the time. */
export const DEFAULT_RETRY: RetryBackoff = { steps: 5, duration: 10, factor: 1, jitter: 0.1 };

/** client-go's DefaultBackoff: for objects that a controller is working on. */
export const DEFAULT_BACKOFF: RetryBackoff = { steps: 4, duration: 10, factor: 5, jitter: 0.1 };

export interface RetryOnConflictOptions extends Partial<Pick<Surroundings, "random" | "timers">> {
  /** Default {@link DEFAULT_RETRY}. */
  readonly backoff?: RetryBackoff;
  /** Ends the tries. Then the reason is thrown. */
  readonly signal?: AbortSignal;
}

const JITTER_STEPS = 2 ** 20;

/**
 * Calls `attempt` again while it throws a Conflict. `attempt` must read the object, change it and write it each time: what it read
 * before a conflict is out of date. Throws the last Conflict when the attempts are used up, and any other error at once.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T>, options: RetryOnConflictOptions = {}): Promise<T> {
  const { backoff = DEFAULT_RETRY, signal } = options;
  const { random, timers } = surroundingsOf(options);
  for (let step = 1; ; step += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || step >= backoff.steps) throw error;
    }
    const jitter = (backoff.jitter * randomBelow(random, JITTER_STEPS)) / JITTER_STEPS;
    await pause(timers, backoff.duration * backoff.factor ** (step - 1) * (1 + jitter), signal);
  }
}
