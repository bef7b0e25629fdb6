import type { Clock } from "../../src/base/time/clock.js";
import type { Stopwatch, Timers } from "../../src/base/time/timers.js";

/** Time that stands still until it is told to pass. */
export class ManualTime implements Clock, Timers {
  #now = Date.UTC(2026, 0, 1);
  readonly #pending = new Set<{ readonly at: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  start(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#pending.add(timer);
    return () => this.#pending.delete(timer);
  }

  /** Measures the time that passes here, also when it is handed on alone. */
  readonly stopwatch = (): Stopwatch => {
    const start = this.#now;
    return () => this.#now - start;
  };

  /** How many timers have neither fired nor been cancelled. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Lets timers fire in order, each at its own time. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      let next: { readonly at: number; readonly callback: () => void } | undefined;
      for (const timer of this.#pending)
        if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
      if (next === undefined) break;
      this.#pending.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
  }
}
