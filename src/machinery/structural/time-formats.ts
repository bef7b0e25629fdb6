import { parseGoDuration } from "../../base/text/go-duration.js";

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

/** "2006-01-02", a day that there is. */
export function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (day === undefined) return false;
  const [number, days] = [Number(month), daysOf(Number(year), Number(month))];
  return number >= 1 && number <= 12 && Number(day) >= 1 && Number(day) <= days;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

const TIME = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;

/** RFC 3339, in either case; what follows a second "t" is not looked at. Source: kube-openapi's strfmt.IsDateTime. */
export function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const [, hours = "99", minutes = "", seconds = ""] = TIME.exec(time) ?? [];
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}

const PART = /(?<![0-9])([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/g;

/** Whole names of units, and what longer names begin with. */
const UNITS: ReadonlySet<string> = new Set(["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const UNIT_BEGINNINGS = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
const LARGEST = 2n ** 63n - 1n;

/** As Go writes it ("1h30m"), or a text with an amount of a unit in it ("2 days"). Source: kube-openapi's strfmt.ParseDuration. */
export function isDuration(text: string): boolean {
  if (parseGoDuration(text) !== undefined) return true;
  let found = false;
  for (const [, amount = "", unit = ""] of text.matchAll(PART)) {
    if (BigInt(amount) > LARGEST) return false;
    const name = unit.toLowerCase();
    if (UNITS.has(name) || UNIT_BEGINNINGS.some((beginning) => name.startsWith(beginning))) found = true;
  }
  return found;
}
