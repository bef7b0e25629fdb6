import { soon, turnsAreDriven } from "../../../base/async/turns.js";

/** A round of deliveries may be put off by this much for each watcher in it, about what writing to so many takes several times. */
const PATIENCE_MILLISECONDS = 0.2;
const LONGEST_MILLISECONDS = 20;
/** Events a write carries on average, from which on more rounds would only mean smaller writes. */
const CROWDED = 1.5;

/**
 * Keeps many watchers from being written to for every single event when events come faster than that can be done: who was
 * just written to waits, and then takes whatever has happened meanwhile in one piece. The wait grows while there is more
 * than one event to take, and is gone when there is not: an event after a quiet time is sent at once.
 */
export class DeliveryPace {
  #waiting: (() => void)[] = [];
  /** Written in this round. */
  #events = 0;
  #milliseconds = 0;

  /** To be awaited after `events` were written, before the next ones are taken. */
  written(events: number): Promise<void> {
    this.#events += events;
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) > 1) return;
      const next = (): void => this.#next();
      // A round of few is over in one turn of the event loop.
      if (this.#milliseconds < 1 || turnsAreDriven()) soon(next);
      else setTimeout(next, this.#milliseconds);
    });
  }

  #next(): void {
    const waiting = this.#waiting;
    const crowded = this.#events > CROWDED * waiting.length;
    const longest = Math.min(waiting.length * PATIENCE_MILLISECONDS, LONGEST_MILLISECONDS);
    this.#milliseconds = crowded ? Math.min(longest, 1 + 2 * this.#milliseconds) : this.#milliseconds / 2;
    this.#waiting = [];
    this.#events = 0;
    for (const resolve of waiting) resolve();
  }
}
