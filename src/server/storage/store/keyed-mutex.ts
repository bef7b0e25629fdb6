import type { Timers } from "../../../base/time/timers.js";

/**
 * How long an update may keep others of its object waiting, in milliseconds. One that asks a webhook may take seconds, and the
 * webhook may update the object itself before it answers.
 */
const PATIENCE_MILLISECONDS = 250;

/** One update's time in the queue of its key. */
interface Turn {
  /** Resolves when the update begins. */
  readonly begun: Promise<void>;
  /** Settles with the update. */
  readonly running: Promise<unknown>;
}

/**
 * Runs the updates of a key one after the other, in order of arrival: concurrent ones would conflict and start again. It does not
 * wait for a slow update to end, so updates may overlap, and must tolerate that.
 */
export class KeyedMutex {
  /** The last update of each key that has any. */
  readonly #last = new Map<string, Turn>();

  constructor(private readonly timers: Timers) {}

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const begun = before === undefined ? NOW : this.#overOf(before);
    const running = before === undefined ? work() : begun.then(work);
    const turn = { begun, running };
    this.#last.set(key, turn);
    try {
      return await running;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }

  /** Resolves when the update has ended, or has been running for too long. */
  async #overOf({ begun, running }: Turn): Promise<void> {
    await begun;
    await new Promise<void>((resolve) => {
      const cancel = this.timers.start(PATIENCE_MILLISECONDS, resolve);
      const ended = (): void => {
        cancel();
        resolve();
      };
      running.then(ended, ended);
    });
  }
}

const NOW = Promise.resolve();
