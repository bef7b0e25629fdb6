import type { Random } from "../numbers/random.js";
import { randomBelow } from "../numbers/random-below.js";
import type { StartStopwatch, Stopwatch } from "./stopwatch.js";

export interface BackoffOptions {
  /** Milliseconds. */
  readonly first: number;
  readonly longest: number;
  readonly factor: number;
  /** A wait is up to this share longer, at random: 1 is up to twice as long. By default none is. */
  readonly jitter?: { readonly share: number; readonly random: Random };
  /** After so many milliseconds without a wait, the next one is the first again. By default never. */
  readonly reset?: { readonly after: number; readonly stopwatch: StartStopwatch };
}

/** Waits that grow while failures follow each other, as those of apimachinery's wait.Backoff. */
export class Backoff {
  #next: number;
  #sinceLast: Stopwatch = () => 0;
  /** How many waits were given since the last reset. */
  attempts = 0;

  constructor(private readonly options: BackoffOptions) {
    this.#next = options.first;
  }

  /** Milliseconds to wait before the next attempt. */
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
