/** What it costs to write to one watcher, about, however many events it is. */
const WRITE_MILLISECONDS = 0.05;
const LONGEST_MILLISECONDS = 20;

/**
 * Keeps many watchers from being written to for every single event: who was just written to waits until all the others
 * could have been, and then takes whatever has happened meanwhile in one piece. An event after a quiet time waits for
 * nobody.
 */
export class DeliveryPace {
  #waiting: (() => void)[] = [];
  /** How many were written to in the last round. */
  #writers = 0;

  /** To be awaited after a write, before the next events are taken. */
  written(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) > 1) return;
      const milliseconds = Math.min(this.#writers * WRITE_MILLISECONDS, LONGEST_MILLISECONDS);
      const next = (): void => this.#next();
      // A round of few is over in one turn of the event loop.
      if (milliseconds < 1) setImmediate(next);
      else setTimeout(next, milliseconds);
    });
  }

  #next(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#writers = waiting.length;
    for (const resolve of waiting) resolve();
  }
}
