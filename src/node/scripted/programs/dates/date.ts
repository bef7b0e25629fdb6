import { dictionary } from "../../../../base/collections/dictionary.js";
import { absolute } from "../../files/file-system.js";
import type { Program } from "../../program.js";
import { errnoText, gnuProgram, ProgramFailure, UsageError } from "../gnu-program.js";
import { latin } from "../latin-text.js";
import { formatDate } from "./format-date.js";

const USUAL = "%a %b %e %H:%M:%S %Z %Y";
const ISO: Readonly<Record<string, string>> = dictionary({
  date: "%Y-%m-%d",
  hours: "%Y-%m-%dT%H%:z",
  minutes: "%Y-%m-%dT%H:%M%:z",
  seconds: "%Y-%m-%dT%H:%M:%S%:z",
  ns: "%Y-%m-%dT%H:%M:%S,%N%:z",
});

/** date in UTC: +FORMAT, -d, -r, -I, -R and -u. It sets no clock. */
export const date: Program = gnuProgram(
  {
    letters: "d:r:I::Rus:",
    long: {
      date: "d",
      reference: "r",
      "iso-8601": "I",
      "rfc-email": "R",
      "rfc-2822": "R",
      "rfc-3339": "3:",
      utc: "u",
      universal: "u",
      set: "s",
    },
  },
  async (io, { given, operands, has, value }) => {
    let format = USUAL;
    for (const [letter, text] of given) {
      if (letter === "R") format = "%a, %d %b %Y %H:%M:%S %z";
      if (letter === "3") format = (ISO[text] ?? USUAL).replace("T", " ").replace(",", ".");
      if (letter !== "I") continue;
      const iso = ISO[text === "" ? "date" : text];
      if (iso === undefined) throw new UsageError(`invalid argument '${text}' for '--iso-8601'`);
      format = iso;
    }
    const [operand, extra] = operands;
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
    if (operand?.startsWith("+") === true) format = operand.slice(1);
    else if (operand !== undefined) throw new ProgramFailure(`invalid date '${operand}'`);
    if (has("s")) throw new ProgramFailure("cannot set date: Operation not permitted");
    const now = io.clock.now();
    let time = now;
    const text = value("d");
    const file = value("r");
    if (text !== undefined) {
      const parsed = parseDate(text, now);
      if (parsed === undefined || Number.isNaN(parsed)) throw new ProgramFailure(`invalid date '${text}'`);
      time = parsed;
    } else if (file !== undefined) {
      try {
        time = io.files.find(absolute(io.cwd, file)).mtime * 1000;
      } catch (error) {
        throw new ProgramFailure(`${file}: ${errnoText(error)}`);
      }
    }
    if (Math.abs(time) > LATEST) throw new ProgramFailure(`time '${Math.floor(time / 1000)}' is out of range`);
    await io.stdout.write(Buffer.from(`${formatDate(latin(format), time)}\n`, "latin1"));
    return 0;
  },
);

/** JavaScript's times end here, in milliseconds. */
const LATEST = 8.64e15;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = dictionary({
  sec: 1000,
  second: 1000,
  min: 60_000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  fortnight: 14 * DAY_MS,
});
const NUMBERS: Readonly<Record<string, number>> = dictionary({ next: 1, last: -1, this: 0, a: 1 });

/** What of a date's text was read. */
interface Parsed {
  year: number | undefined;
  month: number;
  day: number;
  time: number | undefined;
  /** In minutes east of UTC. */
  zone: number;
  months: number;
  milliseconds: number;
  weekday: number | undefined;
}

const TOKENS: readonly (readonly [RegExp, (parsed: Parsed, found: readonly string[]) => boolean])[] = [
  [
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?=$|[ tT])[tT]?/,
    (parsed, [, year, month, day]) => setDate(parsed, Number(year), Number(month), Number(day)),
  ],
  [
    /^(\d{4})\/(\d{1,2})\/(\d{1,2})(?=$| )/,
    (parsed, [, year, month, day]) => setDate(parsed, Number(year), Number(month), Number(day)),
  ],
  [
    /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?=$| )/,
    (parsed, [, month, day, year]) => setDate(parsed, Number(year), Number(month), Number(day)),
  ],
  [
    /^(\d{4})(\d\d)(\d\d)(?=$| )/,
    (parsed, [, year, month, day]) => setDate(parsed, Number(year), Number(month), Number(day)),
  ],
  [
    /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?: ?([ap])\.?m\.?)?/,
    (parsed, [, hour, minute, second = "0", fraction = "0", half]) => {
      let hours = Number(hour);
      if (half !== undefined) hours = (hours % 12) + (half === "p" ? 12 : 0);
      if (hours > 23 || Number(minute) > 59 || Number(second) > 60) return false;
      parsed.time =
        ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1000 + Math.floor(Number(`0.${fraction}`) * 1000);
      return true;
    },
  ],
  [
    /^([-+])(\d\d):?(\d\d)(?=$| )/,
    (parsed, [, sign, hours, minutes]) => {
      parsed.zone = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
      return parsed.time !== undefined;
    },
  ],
  [/^(?:z|utc|gmt)(?=$|[ ,])/, () => true],
  [
    /^(\d{1,2})[ -]([a-z]{3})[a-z]*[ -](\d{4})(?=$|[ ,])/,
    (parsed, [, day, month = "", year]) => setDate(parsed, Number(year), MONTHS.indexOf(month) + 1, Number(day)),
  ],
  [
    /^([a-z]{3})[a-z]* (\d{1,2}),? (\d{4})(?=$|[ ,])/,
    (parsed, [, month = "", day, year]) => setDate(parsed, Number(year), MONTHS.indexOf(month) + 1, Number(day)),
  ],
  // As date itself prints it: "Tue Jan  2 03:04:05 UTC 2024".
  [
    /^([a-z]{3}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (?:utc )?(\d{4})$/,
    (parsed, [, month = "", day, hours, minutes, seconds, year]) => {
      parsed.time = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
      return setDate(parsed, Number(year), MONTHS.indexOf(month) + 1, Number(day));
    },
  ],
  [
    /^(?:([-+]?) ?(\d+) ?|(next|last|this|a) )?(sec|second|min|minute|hour|day|week|fortnight|month|year)s?( ago)?(?=$|[ ,])/,
    (parsed, [, sign, count, word, unit = "", ago]) => {
      let amount = count === undefined ? (NUMBERS[word ?? "a"] ?? 1) : Number(count);
      if ((sign === "-") !== (ago !== undefined)) amount = -amount;
      if (unit === "month") parsed.months += amount;
      else if (unit === "year") parsed.months += 12 * amount;
      else parsed.milliseconds += amount * (UNITS[unit] ?? 0);
      return true;
    },
  ],
  [
    /^(now|today|yesterday|tomorrow|midnight|noon)(?=$|[ ,])/,
    (parsed, [, word]) => {
      if (word === "yesterday") parsed.milliseconds -= DAY_MS;
      if (word === "tomorrow") parsed.milliseconds += DAY_MS;
      if (word === "midnight") parsed.time = 0;
      if (word === "noon") parsed.time = DAY_MS / 2;
      return true;
    },
  ],
  [
    /^(sun|mon|tue|wed|thu|fri|sat)[a-z]*,?(?=$| )/,
    (parsed, [, day = ""]) => {
      parsed.weekday = DAYS.indexOf(day);
      return true;
    },
  ],
];

function setDate(parsed: Parsed, year: number, month: number, day: number): boolean {
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > days) return false;
  [parsed.year, parsed.month, parsed.day] = [year, month - 1, day];
  return true;
}

/** Parses a time of `date -d`, in milliseconds since 1970; undefined for an invalid one. */
export function parseDate(text: string, now: number): number | undefined {
  const [, seconds, fraction = ""] = /^\s*@(-?\d+)(\.\d+)?\s*$/.exec(text) ?? [];
  if (seconds !== undefined) return Number(seconds) * 1000 + Math.floor(Number(`0${fraction}`) * 1000);
  const parsed: Parsed = {
    year: undefined,
    month: 0,
    day: 1,
    time: undefined,
    zone: 0,
    months: 0,
    milliseconds: 0,
    weekday: undefined,
  };
  let rest = text.toLowerCase().replace(/\s+/g, " ").trim();
  const isEmpty = rest === "";
  while (rest !== "") {
    const isRead = TOKENS.some(([pattern, read]) => {
      const found = pattern.exec(rest);
      if (found === null || !read(parsed, found)) return false;
      rest = rest.slice(found[0].length).replace(/^[ ,]+/, "");
      return true;
    });
    if (!isRead) return undefined;
  }
  return timeOf(parsed, now, isEmpty);
}

function timeOf(parsed: Parsed, now: number, isEmpty: boolean): number {
  const today = new Date(now);
  const { year = today.getUTCFullYear() } = parsed;
  const hasDate = parsed.year !== undefined;
  const month = (hasDate ? parsed.month : today.getUTCMonth()) + parsed.months;
  const day = hasDate ? parsed.day : today.getUTCDate();
  const startsDay = hasDate || isEmpty || parsed.weekday !== undefined;
  const ofDay =
    parsed.time ?? (startsDay ? 0 : now - Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()));
  let result = Date.UTC(year, month, day) + ofDay;
  if (parsed.weekday !== undefined && !hasDate)
    result += ((parsed.weekday - new Date(result).getUTCDay() + 7) % 7) * DAY_MS;
  return result - parsed.zone * 60_000 + parsed.milliseconds;
}
