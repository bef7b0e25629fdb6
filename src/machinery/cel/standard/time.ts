import type { FunctionDeclaration, Overload } from "../functions/declaration.js";
import { DURATION, INT, STRING, TIMESTAMP } from "../types/type.js";
import type { Duration } from "../values/duration.js";
import { intOf, ErrorValue, type Value } from "../values/value.js";
import type { Timestamp } from "../values/timestamp.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { knowsZone, zoneOffset } from "../../text/time-zone/time-zone.js";
import { spendSteps } from "../values/meter.js";

/** A part of a timestamp, in UTC or in a time zone that is given. */
function timestampPart(id: string, idWithZone: string, part: (clock: WallClock) => number): Overload[] {
  const call = (timestamp: Timestamp, zone = "UTC"): Value => {
    const clock = wallClock(timestamp, zone);
    return clock instanceof ErrorValue ? clock : part(clock);
  };
  return [
    { id, args: [TIMESTAMP], result: INT, member: true, call: (timestamp: Timestamp) => call(timestamp) },
    { id: idWithZone, args: [TIMESTAMP, STRING], result: INT, member: true, call },
  ];
}

/** How many whole units are in a duration. */
function durationPart(id: string, part: (nanoseconds: bigint) => bigint): Overload {
  return {
    id,
    args: [DURATION],
    result: INT,
    member: true,
    call: ({ nanoseconds }: Duration) => intOf(part(nanoseconds)),
  };
}

function accessor(
  name: string,
  id: string,
  part: (clock: WallClock) => number,
  duration?: Overload,
): FunctionDeclaration {
  // cel-go left the "with" out of one name.
  const idWithZone = id === "timestamp_to_seconds" ? `${id}_tz` : `${id}_with_tz`;
  const overloads = timestampPart(id, idWithZone, part);
  return { name, overloads: duration === undefined ? overloads : [...overloads, duration] };
}

export const TIME: readonly FunctionDeclaration[] = [
  accessor("getFullYear", "timestamp_to_year", ({ year }) => year),
  accessor("getMonth", "timestamp_to_month", ({ month }) => month),
  accessor("getDayOfYear", "timestamp_to_day_of_year", ({ dayOfYear }) => dayOfYear),
  accessor("getDayOfMonth", "timestamp_to_day_of_month", ({ day }) => day - 1),
  accessor("getDate", "timestamp_to_day_of_month_1_based", ({ day }) => day),
  accessor("getDayOfWeek", "timestamp_to_day_of_week", ({ weekday }) => weekday),
  accessor(
    "getHours",
    "timestamp_to_hours",
    ({ hours }) => hours,
    durationPart("duration_to_hours", (nanoseconds) => nanoseconds / 3_600_000_000_000n),
  ),
  accessor(
    "getMinutes",
    "timestamp_to_minutes",
    ({ minutes }) => minutes,
    durationPart("duration_to_minutes", (nanoseconds) => nanoseconds / 60_000_000_000n),
  ),
  accessor(
    "getSeconds",
    "timestamp_to_seconds",
    ({ seconds }) => seconds,
    durationPart("duration_to_seconds", (nanoseconds) => nanoseconds / 1_000_000_000n),
  ),
  accessor(
    "getMilliseconds",
    "timestamp_to_milliseconds",
    ({ milliseconds }) => milliseconds,
    durationPart("duration_to_milliseconds", (nanoseconds) => nanoseconds / 1_000_000n),
  ),
];

/** The parts of a point in time at some place. */
interface WallClock {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  /** From 0, Sunday. */
  readonly weekday: number;
  /** From 0. */
  readonly dayOfYear: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** What clocks show in a time zone: `America/New_York`, `UTC`, or an offset such as `-02:30`. */
function wallClock(timestamp: Timestamp, zone: string): WallClock | ErrorValue {
  const seconds = Number(timestamp.seconds);
  const offset = offsetOf(zone, seconds);
  if (offset instanceof ErrorValue) return offset;
  const local = new Date((seconds + offset) * 1000);
  const newYear = new Date(0);
  newYear.setUTCFullYear(local.getUTCFullYear(), 0, 1);
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth(),
    day: local.getUTCDate(),
    weekday: local.getUTCDay(),
    dayOfYear: Math.floor((local.getTime() - newYear.getTime()) / 86_400_000),
    hours: local.getUTCHours(),
    minutes: local.getUTCMinutes(),
    seconds: local.getUTCSeconds(),
    milliseconds: Number(timestamp.fraction / 1_000_000n),
  };
}

/** Seconds east of UTC. */
function offsetOf(zone: string, seconds: number): number | ErrorValue {
  if (zone === "" || zone === "UTC") return 0;
  if (zone.includes(":")) return fixedOffset(zone);
  try {
    return namedOffset(zone, seconds);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new ErrorValue(`unknown time zone ${zone}`);
  }
}

function fixedOffset(zone: string): number | ErrorValue {
  const match = /^([-+]?)(\d+):(\d+)$/.exec(zone);
  if (match === null) return new ErrorValue(`strconv.Atoi: parsing ${goQuote(zone)}: invalid syntax`);
  const [, sign, hours, minutes] = match;
  return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60 : 60);
}

function namedOffset(zone: string, seconds: number): number {
  spendSteps(200);
  if (!knowsZone(zone)) spendSteps(5000);
  return zoneOffset(zone, seconds);
}
