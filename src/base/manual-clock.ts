import type { Clock } from "./clock.js";
import { DelayHeap } from "./delay-heap.js";
import type { Stopwatch } from "./stopwatch.js";
import type { Timers } from "./timers.js";

interface Timer {
  readonly callback: () => void;
  /** Counts the timers that were started before. */
  readonly number: number;
}

interface Hold {
  readonly describe: () => string | undefined;
  /** How many timers had been started when the work began. */
  readonly began: number;
}

/**
 * Time that passes only when it is driven: a clock, timers and a stopwatch that agree. Give it to `startCluster` as `clock`, and
 * `cluster.clock` drives it; give it to clients and managers of your own as `clock`, `timers` and `stopwatch`.
 */
export class ManualClock implements Clock, Timers {
  #now: number;
  #started = 0;
  readonly #timers = new DelayHeap<Timer>();
  readonly #holds = new Set<Hold>();
  #observer: (describe: () => string | undefined) => void = () => {};

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
    const timer = { callback, number: this.#started++ };
    // Whole milliseconds, as the system's clock and timers have them.
    this.#timers.push(timer, this.#now + Math.ceil(Math.max(0, milliseconds)));
    return () => this.#timers.remove(timer);
  }

  hold(describe: () => string | undefined): () => void {
    const hold = { describe, began: this.#started };
    this.#holds.add(hold);
    this.#observer(describe);
    return () => this.#holds.delete(hold);
  }

  /** When the earliest timer is due; undefined while there is none. */
  get nextDue(): number | undefined {
    return this.#timers.earliest;
  }

  /** Moves on to the earliest timer that is due by `time` and calls it; of those due at the same time, the one started first. False when there is none. */
  fireNext(time: number): boolean {
    const due = this.#timers.earliest;
    const timer = this.#timers.popReady(time);
    if (timer === undefined || due === undefined) return false;
    this.#now = Math.max(this.#now, due);
    timer.callback();
    return true;
  }

  /** Moves on to `time`. Timers that are due by then must have fired. */
  moveTo(time: number): void {
    this.#now = Math.max(this.#now, time);
  }

  /** Calls `observer` with the work that is under way, and with what begins until the returned function is called. */
  observe(observer: (description: string) => void): () => void {
    this.#observer = (describe) => {
      const description = describe();
      if (description !== undefined) observer(description);
    };
    for (const { describe } of this.#holds) this.#observer(describe);
    return () => {
      this.#observer = () => {};
    };
  }

  /** Descriptions of the work under way that waits for no timer: none was started since it began that still runs. */
  held(): readonly string[] {
    if (this.#holds.size === 0) return [];
    let newest = -1;
    for (const { number } of this.#timers.items()) newest = Math.max(newest, number);
    return [...this.#holds].flatMap(({ describe, began }) => (began > newest ? (describe() ?? []) : []));
  }
}

/**
 * A clock that stands still until it is driven. `start` is a Date, milliseconds since the Unix epoch, or an RFC 3339 time; default
 * 2026-01-01T00:00:00Z. Throws a RangeError for what is no time.
 */
export function manualClock(start: Date | number | string = "2026-01-01T00:00:00Z"): ManualClock {
  const time = new Date(start).getTime();
  if (Number.isNaN(time)) throw new RangeError(`the start of a manual clock is ${JSON.stringify(start)}; give a time`);
  return new ManualClock(time);
}
