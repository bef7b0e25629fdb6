import type { Family } from "../../machinery/metrics/family.js";

/**
 * A histogram of a share over time: how many nanoseconds it had which size, as kube's timing histograms have it. Times are monotonic nanoseconds.
 */
export class ShareOverTime {
  readonly #counts: number[];
  readonly #bounds: readonly number[];
  #sum = 0;
  #share = 0;
  #since: number;

  constructor(bounds: readonly number[], now: number) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
    this.#since = now;
  }

  /** The share is another one from `now` on. */
  set(share: number, now: number): void {
    const duration = Math.max(0, now - this.#since);
    const bucket = this.#bounds.findIndex((bound) => this.#share <= bound);
    const place = bucket < 0 ? this.#bounds.length : bucket;
    this.#counts[place] = (this.#counts[place] ?? 0) + duration;
    this.#sum += this.#share * duration;
    this.#share = share;
    this.#since = now;
  }

  show(family: Family, series: number, now: number): void {
    this.set(this.#share, now);
    family.replace(series, this.#counts, this.#sum);
  }
}
