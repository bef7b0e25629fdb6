import { Fifo } from "../../base/fifo.js";

/** How many pods the nodes of a process start at a time. */
const STARTING = 2;

/**
 * The starts of pods on the nodes of a fleet, in the order in which they were bound. Real nodes start pods beside the control plane; those of one
 * process take its time, and thousands of starts at once would keep the scheduler from binding the next pods.
 */
export class PodStarts {
  readonly #waiting = new Fifo<() => void>();
  #starting = 0;

  /** Runs `start` as soon as there is room. Rejects as it does. */
  async run(start: () => Promise<void>): Promise<void> {
    if (this.#starting >= STARTING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#starting += 1;
    try {
      await start();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#starting -= 1;
      else next();
    }
  }
}
