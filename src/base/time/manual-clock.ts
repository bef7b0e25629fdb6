import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "./clock.js";
import { DelayHeap } from "./delay-heap.js";
import type { Stopwatch, Timers } from "./timers.js";

/** Work under way. */
interface Work {
  readonly describe: () => string | undefined;
  /** How many timers that the work has started are running. */
  timers: number;
}

interface Timer {
  readonly callback: () => void;
  /** The work that started the timer. */
  readonly work: Work | undefined;
}

/**
 * Time that passes only when it is driven: a clock, timers and a stopwatch that agree. Give it to `startCluster` as `clock`, and
 * `cluster.clock` drives it; give it to clients and managers of your own as `clock`, `timers` and `stopwatch`.
 */
export class ManualClock implements Clock, Timers {
  #now: number;
  readonly #timers = new DelayHeap<Timer>();
  readonly #underWay = new Set<Work>();
  /** The work that is running. */
  readonly #current = new AsyncLocalStorage<Work>();
  #observer: (work: Work) => void = () => {};

  /** `start` is in milliseconds since the Unix epoch. Use {@link manualClock}. */
  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Starts measuring the time that passes here. */
  readonly stopwatch = (): Stopwatch => {
    const start = this.#now;
    return () => this.#now - start;
  };

  start(milliseconds: number, callback: () => void): () => void {
    const work = this.#current.getStore();
    if (work !== undefined) work.timers += 1;
    const timer = { callback, work };
    // Whole milliseconds, as the system's clock and timers have them.
    this.#timers.push(timer, this.#now + Math.ceil(Math.max(0, milliseconds)));
    return () => {
      if (this.#timers.remove(timer) && work !== undefined) work.timers -= 1;
    };
  }

  async during<T>(describe: () => string | undefined, run: () => Promise<T> | T): Promise<T> {
    const work = { describe, timers: 0 };
    this.#underWay.add(work);
    this.#observer(work);
    try {
      return await this.#current.run(work, run);
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** The time at which the earliest timer is due; undefined while no timer runs. */
  get nextDue(): number | undefined {
    return this.#timers.earliest;
  }

  /**
   * Moves to the earliest timer that is due by `time` and calls it; of timers due at the same time, the one started first. Returns false
   * when there is none.
   */
  fireNext(time: number): boolean {
    const due = this.#timers.earliest;
    const timer = this.#timers.popReady(time);
    if (timer === undefined || due === undefined) return false;
    this.#now = Math.max(this.#now, due);
    if (timer.work !== undefined) timer.work.timers -= 1;
    timer.callback();
    return true;
  }

  /** Moves to `time`. Timers that are due by then must have fired. */
  moveTo(time: number): void {
    this.#now = Math.max(this.#now, time);
  }

  /** Calls `observer` with the descriptions of work under way, and of work that begins until the returned function is called. */
  observe(observer: (description: string) => void): () => void {
    this.#observer = ({ describe }) => {
      const description = describe();
      if (description !== undefined) observer(description);
    };
    for (const work of this.#underWay) this.#observer(work);
    return () => {
      this.#observer = () => {};
    };
  }

  /** Returns the descriptions of work under way that waits for no timer. */
  untimed(): readonly string[] {
    if (this.#underWay.size === 0) return [];
    return [...this.#underWay].flatMap(({ describe, timers }) => (timers === 0 ? (describe() ?? []) : []));
  }
}

/**
 * Makes a clock that stands still until it is driven. `start` is a Date, milliseconds since the Unix epoch, or an RFC 3339 time; default
 * 2026-01-01T00:00:00Z. Throws a RangeError for an invalid time.
 */
export function manualClock(start: Date | number | string = "2026-01-01T00:00:00Z"): ManualClock {
  const time = new Date(start).getTime();
  if (Number.isNaN(time)) throw new RangeError(`the start of a manual clock is ${JSON.stringify(start)}; give a time`);
  return new ManualClock(time);
}
