const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = {
  __proto__: null as never,
  sec: 1000,
  second: 1000,
  min: 60_000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  fortnight: 14 * DAY_MS,
};
const NUMBERS: Readonly<Record<string, number>> = { __proto__: null as never, next: 1, last: -1, this: 0, a: 1 };

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

/** The time that a text of `date -d` names, in milliseconds since 1970; undefined where it names none. */
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
