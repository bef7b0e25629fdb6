import { soon, turnsAreDriven } from "../../../base/async/turns.js";

/** A round of deliveries may be put off by this much for each watcher in it, about what writing to so many takes several times. */
const PATIENCE_MILLISECONDS = 0.2;
const LONGEST_MILLISECONDS = 20;
/** Events a write carries on average, from which on more rounds would only mean smaller writes. */
const CROWDED = 1.5;

/**
 * Groups events for many watchers when events come faster than the server can write each one to each watcher: after a write a watcher waits,
 * and then gets all events of the meantime in one write. The wait grows while more than one event is pending, and ends when there is not: an
 * event after a quiet time is sent at once.
 */
export class DeliveryPace {
  #waiting: (() => void)[] = [];
  /** Written in this round. */
  #events = 0;
  #milliseconds = 0;

  /** Call it after a write of `events` events; it resolves when the next ones should be taken. */
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
