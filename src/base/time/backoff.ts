import type { Random } from "../numbers/random.js";
import { randomBelow } from "../numbers/random-below.js";
import type { StartStopwatch, Stopwatch } from "./timers.js";

export interface BackoffOptions {
  /** Milliseconds. */
  readonly first: number;
  readonly longest: number;
  readonly factor: number;
  /** The largest random addition to a wait, as a share of it: with 1 a wait is up to twice as long. Default: no addition. */
  readonly jitter?: { readonly share: number; readonly random: Random };
  /** Milliseconds without a wait after which the next wait has the first length again. Default: never. */
  readonly reset?: { readonly after: number; readonly stopwatch: StartStopwatch };
}

/** Computes waits that grow while failures follow each other, as apimachinery's wait.Backoff does. */
export class Backoff {
  #next: number;
  #sinceLast: Stopwatch = () => 0;
  /** How many waits were given since the last reset. */
  attempts = 0;

  constructor(private readonly options: BackoffOptions) {
    this.#next = options.first;
  }

  /** Returns the milliseconds to wait before the next attempt. */
  next(): number {
    const { longest, factor, jitter, reset } = this.options;
    if (reset !== undefined) {
      if (this.#sinceLast() > reset.after) this.reset();
      this.#sinceLast = reset.stopwatch();
    }
    const wait = this.#next;
    this.#next = Math.min(wait * factor, longest);
    this.attempts += 1;
    return jitter === undefined ? wait : wait * (1 + (jitter.share * randomBelow(jitter.random, 1 << 20)) / (1 << 20));
  }

  reset(): void {
    this.#next = this.options.first;
    this.attempts = 0;
  }
}
