import { zoneOffset } from "../time-zone/zone-offset.js";

/** What a calendar and a clock on the wall show. */
export interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** From 0, Sunday. */
  readonly weekday: number;
}

/** Between two of these seconds no zone has changed its offset since 1972. */
const OFFSET_SECONDS = 15 * 60;

/** The wall clocks of a zone. Times are whole seconds since the Unix epoch. */
export class ZoneClock {
  #block = Number.NaN;
  #offset = 0;

  constructor(private readonly zone: string) {}

  show(time: number): WallTime {
    const local = new Date((time + this.#offsetAt(time)) * 1000);
    return {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      second: local.getUTCSeconds(),
      weekday: local.getUTCDay(),
    };
  }

  /**
   * When the clocks show this: months and days may be too large. What they never show, or twice, is a time with one of the two
   * offsets, as Go's time.Date has it.
   */
  at({ year, month, day, hour = 0, minute = 0, second = 0 }: WallDate): number {
    const shown = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
    return shown - this.#offsetAt(shown - this.#offsetAt(shown));
  }

  #offsetAt(time: number): number {
    if (this.zone === "UTC") return 0;
    const block = Math.floor(time / OFFSET_SECONDS);
    if (block !== this.#block) {
      this.#offset = zoneOffset(this.zone, time);
      this.#block = block;
    }
    return this.#offset;
  }
}

export interface WallDate extends Pick<WallTime, "year" | "month" | "day"> {
  readonly hour?: number;
  readonly minute?: number;
  readonly second?: number;
}
