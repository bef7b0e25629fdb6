import type { Schedule } from "./schedule.js";
import { type WallTime, ZoneClock } from "./zone-clock.js";

/** One of the fields of a schedule. */
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
