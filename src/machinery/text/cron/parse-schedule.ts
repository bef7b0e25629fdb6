import { dictionary } from "../../../base/collections/dictionary.js";
import { parseGoDuration } from "../../../base/text/go-literals.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { atoi } from "../go/atoi.js";
import { isTimeZone } from "../time-zone/time-zone.js";
import {
  calendarSchedule,
  type CalendarFields,
  type Field,
  intervalSchedule,
  type Schedule,
} from "./calendar-schedule.js";

/** One of the five fields of a schedule: what numbers and names it takes. */
interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: readonly Bounds[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: MONTHS },
  { low: 0, high: 6, names: DAYS },
];

const DESCRIPTORS: Readonly<Record<string, string>> = dictionary({
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
});

/** What is wrong with a schedule, in robfig/cron's words. */
class ScheduleError extends Error {}

/** Returns robfig/cron's error for an invalid schedule; undefined for a valid one. */
export function scheduleError(schedule: string): string | undefined {
  try {
    parseSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

/**
 * Reads a standard cron schedule in robfig/cron's dialect: five fields, a descriptor such as "@hourly", or "@every 90m". `zone`
 * is the zone whose clocks it means, default UTC; one in the schedule itself ("TZ=Europe/Paris 0 9 * * *") goes before. Throws
 * an Error in robfig/cron's words.
 */
export function parseSchedule(schedule: string, zone = "UTC"): Schedule {
  if (!/^(CRON_)?TZ=/.test(schedule)) return parseSpec(schedule, zone);
  const space = schedule.indexOf(" ");
  if (space < 0) throw new ScheduleError("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  const stated = schedule.slice(schedule.indexOf("=") + 1, space);
  if (stated !== "" && stated !== "Local" && !isTimeZone(stated)) {
    throw new ScheduleError(`provided bad location ${stated}: unknown time zone ${stated}`);
  }
  return parseSpec(schedule.slice(space).trim(), stated === "" || stated === "Local" ? "UTC" : stated);
}

function parseSpec(spec: string, zone: string): Schedule {
  if (spec.startsWith("@")) return parseDescriptor(spec, zone);
  const fields = spec.trim() === "" ? [] : spec.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = FIELDS.map((bounds, index) =>
    parseField(fields[index] ?? "", bounds),
  ) as [Field, Field, Field, Field, Field];
  return calendarSchedule({ minute, hour, dayOfMonth, month, dayOfWeek } satisfies CalendarFields, zone);
}

function parseDescriptor(descriptor: string, zone: string): Schedule {
  const spec = DESCRIPTORS[descriptor];
  if (spec !== undefined) return parseSpec(spec, zone);
  if (!descriptor.startsWith("@every ")) throw new ScheduleError(`unrecognized descriptor: ${descriptor}`);
  const stated = descriptor.slice("@every ".length);
  const duration = parseGoDuration(stated);
  if (duration !== undefined) return intervalSchedule(duration);
  throw new ScheduleError(`failed to parse duration ${descriptor}: ${durationError(stated)}`);
}

/** In the words of Go's time.ParseDuration. */
function durationError(text: string): string {
  const [, , unit] =
    /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*(\d+(?:\.\d*)?|\.\d+)([^.\d]*)/.exec(text) ?? [];
  if (unit === undefined) return `time: invalid duration ${goQuote(text)}`;
  if (unit === "") return `time: missing unit in duration ${goQuote(text)}`;
  return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
}

/** Ranges with commas between them. */
function parseField(text: string, bounds: Bounds): Field {
  const values = new Set<number>();
  let isAny = false;
  for (const expression of text.split(",")) {
    if (expression === "") continue;
    const { start, end, step, any } = parseRange(expression, bounds);
    for (let value = start; value <= end; value += step) values.add(value);
    isAny ||= any;
  }
  return { values, isAny };
}

/** One of "*", "5", "1-5", "mon-fri", "*\/10", "10-30/5". */
function parseRange(expression: string, bounds: Bounds) {
  const [span = "", stepText, ...slashes] = expression.split("/");
  const [low = "", high, ...hyphens] = span.split("-");
  const any = low === "*" || low === "?";
  let [start, end, step] = [bounds.low, bounds.high, 1];
  if (!any) {
    start = end = position(low, bounds);
    if (hyphens.length > 0) throw new ScheduleError(`too many hyphens: ${expression}`);
    if (high !== undefined) end = position(high, bounds);
  }
  if (slashes.length > 0) throw new ScheduleError(`too many slashes: ${expression}`);
  if (stepText !== undefined) {
    step = natural(stepText);
    if (high === undefined) end = bounds.high;
  }
  const range = `range (${start})`;
  if (start < bounds.low) {
    throw new ScheduleError(`beginning of ${range} below minimum (${bounds.low}): ${expression}`);
  }
  if (end > bounds.high) {
    throw new ScheduleError(`end of range (${end}) above maximum (${bounds.high}): ${expression}`);
  }
  if (start > end) throw new ScheduleError(`beginning of ${range} beyond end of range (${end}): ${expression}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${expression}`);
  // With a step, a star is a range like any other.
  return { start, end, step, any: any && step === 1 };
}

function position(text: string, { low, names }: Bounds): number {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  return index >= 0 ? low + index : natural(text);
}

function natural(text: string): number {
  const value = atoi(text);
  if (typeof value === "string") throw new ScheduleError(`failed to parse int from ${text}: ${value}`);
  if (value < 0) throw new ScheduleError(`negative number (${value}) not allowed: ${text}`);
  return value;
}
