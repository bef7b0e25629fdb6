/** Counts durations, as a Prometheus histogram does. */
export interface DurationDistribution {
  /** How many durations were measured. */
  readonly count: number;
  /** Their sum, in seconds. */
  readonly sumSeconds: number;
  /** How many of them were at most that many seconds. Buckets are cumulative; `count` is the one without a bound. */
  readonly buckets: readonly { readonly atMostSeconds: number; readonly count: number }[];
}

/** The bounds of controller-runtime's workqueue metrics, in seconds. */
const BOUNDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** Measured durations. A measurement costs a few comparisons and keeps no memory. */
export class DurationHistogram {
  #sumSeconds = 0;
  /** How many durations fell between a bound and the one before it; the last place is for those beyond all bounds. */
  readonly #counts = Array.from({ length: BOUNDS.length + 1 }, () => 0);

  observe(seconds: number): void {
    let place = 0;
    while (place < BOUNDS.length && seconds > (BOUNDS[place] ?? 0)) place++;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sumSeconds += seconds;
  }

  /** A copy, which later measurements do not change. */
  distribution(): DurationDistribution {
    let count = 0;
    const buckets = BOUNDS.map((atMostSeconds, place) => {
      count += this.#counts[place] ?? 0;
      return { atMostSeconds, count };
    });
    return { count: count + (this.#counts[BOUNDS.length] ?? 0), sumSeconds: this.#sumSeconds, buckets };
  }
}
