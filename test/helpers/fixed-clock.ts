import type { Clock } from "../../src/base/time/clock.js";

/** A clock that moves only when told to. */
export class FixedClock implements Clock {
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
