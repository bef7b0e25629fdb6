import { parseGoDuration } from "../../base/go-duration.js";
import { goQuote } from "../../base/go-quote.js";
import { atoi } from "./go-numbers.js";
import { isTimeZone } from "./time-zone.js";

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

const DESCRIPTORS: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/** What is wrong with a standard cron schedule, in robfig/cron's words; undefined for a good one. */
export function scheduleError(schedule: string): string | undefined {
  if (!/^(CRON_)?TZ=/.test(schedule)) return specError(schedule);
  const space = schedule.indexOf(" ");
  if (space < 0) return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
  const zone = schedule.slice(schedule.indexOf("=") + 1, space);
  if (zone !== "" && zone !== "Local" && !isTimeZone(zone)) {
    return `provided bad location ${zone}: unknown time zone ${zone}`;
  }
  return specError(schedule.slice(space).trim());
}

function specError(spec: string): string | undefined {
  if (spec.startsWith("@")) return descriptorError(spec);
  const fields = spec.trim() === "" ? [] : spec.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  }
  for (const [index, bounds] of FIELDS.entries()) {
    for (const range of (fields[index] ?? "").split(",")) {
      const error = range === "" ? undefined : rangeError(range, bounds);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

function descriptorError(descriptor: string): string | undefined {
  if (DESCRIPTORS.has(descriptor)) return undefined;
  if (!descriptor.startsWith("@every ")) return `unrecognized descriptor: ${descriptor}`;
  const error = durationError(descriptor.slice("@every ".length));
  return error === undefined ? undefined : `failed to parse duration ${descriptor}: ${error}`;
}

/** In the words of Go's time.ParseDuration. */
function durationError(text: string): string | undefined {
  if (parseGoDuration(text) !== undefined) return undefined;
  const [, , unit] =
    /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*(\d+(?:\.\d*)?|\.\d+)([^.\d]*)/.exec(text) ?? [];
  if (unit === undefined) return `time: invalid duration ${goQuote(text)}`;
  if (unit === "") return `time: missing unit in duration ${goQuote(text)}`;
  return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
}

/** One of "*", "5", "1-5", "mon-fri", "*\/10", "10-30/5". */
function rangeError(expression: string, bounds: Bounds): string | undefined {
  const [span = "", stepText, ...slashes] = expression.split("/");
  const [low = "", high, ...hyphens] = span.split("-");
  let [start, end, step] = [bounds.low, bounds.high, 1];
  if (low !== "*" && low !== "?") {
    const first = position(low, bounds);
    if (typeof first === "string") return first;
    start = end = first;
    if (hyphens.length > 0) return `too many hyphens: ${expression}`;
    if (high !== undefined) {
      const last = position(high, bounds);
      if (typeof last === "string") return last;
      end = last;
    }
  }
  if (slashes.length > 0) return `too many slashes: ${expression}`;
  if (stepText !== undefined) {
    const parsed = natural(stepText);
    if (typeof parsed === "string") return parsed;
    step = parsed;
    if (high === undefined) end = bounds.high;
  }
  if (start < bounds.low) return `beginning of range (${start}) below minimum (${bounds.low}): ${expression}`;
  if (end > bounds.high) return `end of range (${end}) above maximum (${bounds.high}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  return step === 0 ? `step of range should be a positive number: ${expression}` : undefined;
}

function position(text: string, { low, names }: Bounds): number | string {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  return index >= 0 ? low + index : natural(text);
}

function natural(text: string): number | string {
  const value = atoi(text);
  if (typeof value === "string") return `failed to parse int from ${text}: ${value}`;
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
