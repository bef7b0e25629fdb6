import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { cpuMilliseconds } from "../../tools/calibrated-work.mjs";

/** How long turns of the event loop were since the last reading, in milliseconds. */
export interface Turns {
  /** The most CPU time that one turn took. Other processes of the machine do not count. */
  readonly longest: number;
  /** The most that the event loop was late by the clock, for the report: this does count other processes. */
  readonly latest: number;
}

const INTERVAL_MS = 5;
const NANOSECONDS = 1e6;

/**
 * Watches the event loop of this process. A timer that is due every few milliseconds notes how much CPU time this thread had since
 * it ran last: while a turn is long it cannot run, so what one turn took is in one note.
 */
export class TurnProbe {
  #longest = 0;
  #last = cpuMilliseconds();
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: INTERVAL_MS });
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#delay.enable();
    this.#timer = setInterval(() => this.#note(), INTERVAL_MS);
  }

  #note(): void {
    const now = cpuMilliseconds();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }

  /** What was since the last reading. */
  read(): Turns {
    this.#note();
    const turns = { longest: this.#longest, latest: this.#delay.max / NANOSECONDS };
    this.#longest = 0;
    this.#delay.reset();
    return turns;
  }

  /** What happened since the last reading does not count. */
  skip(): void {
    this.#last = cpuMilliseconds();
    this.#longest = 0;
    this.#delay.reset();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }
}
