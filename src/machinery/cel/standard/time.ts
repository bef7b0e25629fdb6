import type { FunctionDeclaration, Overload } from "../functions/declaration.js";
import { DURATION, INT, STRING, TIMESTAMP } from "../types/type.js";
import type { Duration } from "../values/duration.js";
import { intOf } from "../values/int.js";
import type { Timestamp } from "../values/timestamp.js";
import { ErrorValue, type Value } from "../values/value.js";
import { type WallClock, wallClock } from "./time-zone.js";

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
