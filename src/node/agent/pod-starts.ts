import { Fifo } from "../../base/collections/fifo.js";
import { areDriven, type Timers } from "../../base/time/timers.js";

/** How many pods the nodes of a process start at a time. */
const STARTING = 2;

/** A burst of bound pods is over when none has come for so long. */
const QUIET_MS = 100;
/** So many pods of a burst start at once. */
const AT_ONCE = 16;
/** Of the others, one starts for so many that come, until the burst is over. */
const ARRIVALS_OF_A_START = 16;

/**
 * The starts of pods on the nodes of a fleet, in the order in which they were bound. Real nodes start pods beside the control plane; those of one
 * process take its time, and thousands of starts would keep the scheduler from binding the next pods. So most pods of a burst start
 * when it is over. Where timers are driven, no start waits for the end of a burst.
 */
export class PodStarts {
  readonly #waiting = new Fifo<() => void>();
  #starting = 0;
  /** Of the burst: how many pods came, how many were started. */
  #arrived = 0;
  #started = 0;
  #cancelEnd = (): void => {};

  /** No pod starts before `ready` has resolved. */
  constructor(
    private readonly timers: Timers,
    private readonly ready?: Promise<void>,
  ) {}

  /** Runs `start` when it is its turn. Rejects as it does. */
  async run(start: () => Promise<void>): Promise<void> {
    if (this.ready !== undefined) await this.ready;
    this.#arrive();
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#next();
    });
    try {
      await start();
    } finally {
      this.#starting -= 1;
      this.#next();
    }
  }

  #arrive(): void {
    if (areDriven(this.timers)) return;
    this.#arrived += 1;
    this.#cancelEnd();
    this.#cancelEnd = this.timers.start(QUIET_MS, () => {
      this.#arrived = this.#started = 0;
      while (this.#next());
    });
  }

  /** Lets the next pod start, if it may. Answers whether it did. */
  #next(): boolean {
    if (this.#starting >= STARTING || !this.#mayStart()) return false;
    const begin = this.#waiting.shift();
    if (begin === undefined) return false;
    this.#starting += 1;
    this.#started += 1;
    begin();
    return true;
  }

  #mayStart(): boolean {
    return this.#arrived === 0 || this.#started < AT_ONCE + this.#arrived / ARRIVALS_OF_A_START;
  }
}
