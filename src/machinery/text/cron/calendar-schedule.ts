import { zoneOffset } from "../time-zone/time-zone.js";

/** What a calendar and a clock on the wall show. */
interface WallTime {
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
class ZoneClock {
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

/** One field of a schedule. */
export interface Field {
  readonly values: ReadonlySet<number>;
  /** Whether it was written as "*". */
  readonly isAny: boolean;
}

export interface CalendarFields {
  readonly minute: Field;
  readonly hour: Field;
  readonly dayOfMonth: Field;
  readonly month: Field;
  readonly dayOfWeek: Field;
}

const YEARS = 5;
const HOUR = 3600;

/**
 * Due whenever the clocks of a zone show what the fields say, at second 0. Where clocks are put forward, a time that they never
 * show is skipped; where they are put back, the hour that they show twice counts twice (robfig/cron's rules).
 */
export function calendarSchedule(fields: CalendarFields, zone: string): Schedule {
  const clock = new ZoneClock(zone);
  return {
    next(time) {
      const begin = Math.floor(time / 1000) + 1;
      const lastYear = clock.show(begin).year + YEARS;
      let search: Search = { time: begin, moved: false };
      for (;;) {
        if (clock.show(search.time).year > lastYear) return undefined;
        const found = narrow(search, fields, clock);
        if (found.settled) return found.time * 1000;
        search = found;
      }
    },
  };
}

/** How far the search is. */
interface Search {
  readonly time: number;
  /** Whether a field was moved forward: the smaller ones begin at their lowest then. */
  readonly moved: boolean;
}

/** Moves forward to the next time that matches, or to where a larger field has to be looked at again. */
function narrow(search: Search, fields: CalendarFields, clock: ZoneClock): Search & { readonly settled: boolean } {
  let { time, moved } = search;
  const again = () => ({ time, moved, settled: false });
  let wall = clock.show(time);
  const move = (to: number): WallTime => {
    time = to;
    moved = true;
    wall = clock.show(to);
    return wall;
  };
  while (!fields.month.values.has(wall.month)) {
    if (!moved) move(clock.at({ ...wall, day: 1, hour: 0, minute: 0, second: 0 }));
    if (move(clock.at({ ...wall, month: wall.month + 1 })).month === 1) return again();
  }
  while (!isDay(wall, fields)) {
    if (!moved) move(clock.at({ ...wall, hour: 0, minute: 0, second: 0 }));
    move(clock.at({ ...wall, day: wall.day + 1 }));
    // There are days without a midnight.
    if (wall.hour > 12) move(time + (24 - wall.hour) * HOUR);
    else if (wall.hour > 0) move(time - wall.hour * HOUR);
    if (wall.day === 1) return again();
  }
  while (!fields.hour.values.has(wall.hour)) {
    if (!moved) move(clock.at({ ...wall, minute: 0, second: 0 }));
    if (move(time + HOUR).hour === 0) return again();
  }
  while (!fields.minute.values.has(wall.minute)) {
    if (!moved) move(time - (time % 60));
    if (move(time + 60).minute === 0) return again();
  }
  if (wall.second === 0) return { time, moved, settled: true };
  move(time + 60 - wall.second);
  return again();
}

/** A day of the month or of the week, where both are restricted; else what the restricted one says. */
function isDay({ day, weekday }: WallTime, { dayOfMonth, dayOfWeek }: CalendarFields): boolean {
  const [byMonth, byWeek] = [dayOfMonth.values.has(day), dayOfWeek.values.has(weekday)];
  return dayOfMonth.isAny || dayOfWeek.isAny ? byMonth && byWeek : byMonth || byWeek;
}

/** The times of a schedule. */
export interface Schedule {
  /** The first time after `time`, both in milliseconds since the Unix epoch; undefined when there is none within five years. */
  next(time: number): number | undefined;
}

/** A schedule that is due every `milliseconds`, in whole seconds and at least one. */
export function intervalSchedule(milliseconds: number): Schedule {
  const seconds = Math.max(1, Math.trunc(milliseconds / 1000));
  return { next: (time) => (Math.floor(time / 1000) + seconds) * 1000 };
}
