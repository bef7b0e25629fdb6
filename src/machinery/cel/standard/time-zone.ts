import { goQuote } from "../../../base/text/go-quote.js";
import { knowsZone, zoneOffset } from "../../text/time-zone/zone-offset.js";
import type { Timestamp } from "../values/timestamp.js";
import { spendSteps } from "../values/meter.js";
import { ErrorValue } from "../values/value.js";

/** The parts of a point in time at some place. */
export interface WallClock {
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
export function wallClock(timestamp: Timestamp, zone: string): WallClock | ErrorValue {
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
