/** How much of the smoothed demand stays from one period to the next: half of it after five minutes. */
const SMOOTHING = 0.977;

/** The statistics about the seats that a priority level has needed. */
export interface DemandStatistics {
  /** Over the last period, by time. */
  readonly average: number;
  readonly deviation: number;
  readonly highest: number;
  /** The envelope, average plus deviation, which falls slowly and rises at once. */
  readonly smoothed: number;
}

const NONE: DemandStatistics = { average: 0, deviation: 0, highest: 0, smoothed: 0 };

/** Integrates the seats that a priority level's requests occupy or wait for over time. Source: KEP-1040, "seat demand". */
export class SeatDemand {
  #statistics = NONE;
  #demand = 0;
  #since: number;
  #seconds = 0;
  #sum = 0;
  #squares = 0;
  #highest = 0;

  /** `now` is in nanoseconds, as everywhere here. */
  constructor(now: number) {
    this.#since = now;
  }

  get statistics(): DemandStatistics {
    return this.#statistics;
  }

  set(demand: number, now: number): void {
    this.#integrate(now);
    this.#demand = demand;
    if (demand > this.#highest) this.#highest = demand;
  }

  /** Ends a period: its demand becomes the statistics, and the next one begins. */
  endPeriod(now: number): DemandStatistics {
    this.#integrate(now);
    const { smoothed } = this.#statistics;
    const highest = Math.round(this.#highest);
    if (this.#seconds <= 0) this.#statistics = { ...this.#statistics, highest };
    else {
      const average = this.#sum / this.#seconds;
      const deviation = Math.sqrt(Math.max(0, this.#squares / this.#seconds - average * average));
      const envelope = average + deviation;
      const next = Math.max(envelope, SMOOTHING * smoothed + (1 - SMOOTHING) * envelope);
      this.#statistics = { average, deviation, highest, smoothed: next };
    }
    this.#seconds = this.#sum = this.#squares = 0;
    this.#highest = this.#demand;
    return this.#statistics;
  }

  #integrate(now: number): void {
    const seconds = (now - this.#since) / 1e9;
    this.#since = now;
    this.#seconds += seconds;
    this.#sum += this.#demand * seconds;
    this.#squares += this.#demand * this.#demand * seconds;
  }
}
