import type { Random } from "./random.js";
import { randomBelow } from "./random-below.js";
import type { StartStopwatch, Stopwatch } from "./stopwatch.js";

export interface BackoffOptions {
  /** Milliseconds. */
  readonly first: number;
  readonly longest: number;
  readonly factor: number;
  /** The largest random addition to a wait, as a share of it: with 1 a wait is up to twice as long. */
  readonly jitter: number;
  /** Milliseconds without a wait after which the next wait has the first length again. */
  readonly resetAfter: number;
  readonly random: Random;
  readonly stopwatch: StartStopwatch;
}

/** Computes waits that grow while failures follow each other (apimachinery's wait.Backoff with a reset). */
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
    const { longest, factor, jitter, resetAfter, random } = this.options;
    if (this.#sinceLast() > resetAfter) this.reset();
    const wait = this.#next;
    this.#next = Math.min(wait * factor, longest);
    this.#sinceLast = this.options.stopwatch();
    this.attempts += 1;
    return wait * (1 + (jitter * randomBelow(random, 1 << 20)) / (1 << 20));
  }

  reset(): void {
    this.#next = this.options.first;
    this.attempts = 0;
  }
}
