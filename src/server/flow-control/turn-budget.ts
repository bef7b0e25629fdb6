import { Fifo } from "../../base/collections/fifo.js";
import { soon, turnsAreDriven } from "../../base/async/turns.js";

/** How long requests may begin in a turn of the event loop, in nanoseconds, and how many. */
const LONGEST = 1e6;
const STARTS = 8;
/** How many waiting requests each level begins in a turn at least. */
const STARTS_OF_LEVEL = 4;
/** How many refused requests are answered in a turn where requests wait. */
const REFUSALS = 8;

/** Something whose requests wait for the next turn. */
interface Dispatching {
  /** Begins at most so many of the waiting requests. */
  resume(most: number): void;
}

/**
 * Limits how many requests begin in one turn of the event loop. One thread runs them all: where hundreds of clients ask at once, a turn that begins
 * a request for each lasts as long as all of them, and whoever asks meanwhile waits for its end, exempt or not. Requests beyond the limit wait in
 * their queues, so that the next turn takes those whose turn it is by fairness. Refusals have a limit too: else clients that ask again at once
 * fill every turn.
 */
export class TurnBudget {
  readonly #elapsed: () => number;
  #began: number | undefined;
  #starts = 0;
  #isScheduled = false;
  #waiting = new Set<Dispatching>();
  readonly #refusals = new Fifo<() => void>();

  /** `elapsed` is monotonic, in nanoseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Whether one more request may begin in this turn. Driven turns have no limit: time does not pass in them. */
  take(): boolean {
    if (turnsAreDriven()) return true;
    this.#schedule();
    if (this.#isSpent()) return false;
    this.#starts += 1;
    return true;
  }

  /** Calls `resume` in the next turn. */
  waits(dispatching: Dispatching): void {
    this.#waiting.add(dispatching);
  }

  /** Resolves when a refused request may be answered. */
  async refusal(): Promise<void> {
    if (this.#refusals.length === 0 && this.take()) return;
    await new Promise<void>((resolve) => this.#refusals.push(resolve));
  }

  #isSpent(): boolean {
    const now = this.#elapsed();
    this.#began ??= now;
    return this.#starts >= STARTS || now - this.#began > LONGEST;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    soon(() => this.#beginTurn());
  }

  #beginTurn(): void {
    this.#isScheduled = false;
    this.#began = undefined;
    this.#starts = 0;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const dispatching of waiting) dispatching.resume(STARTS_OF_LEVEL);
    for (let left = REFUSALS; left > 0; left--) this.#refusals.shift()?.();
    if (this.#waiting.size > 0 || this.#refusals.length > 0) this.#schedule();
  }
}
