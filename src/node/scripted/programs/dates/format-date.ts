import { dictionary } from "../../../../base/collections/dictionary.js";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAY_MS = 86_400_000;
/** Conversions that stand for others. */
const COMPOUND: Readonly<Record<string, string>> = dictionary({
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  x: "%m/%d/%y",
  F: "%Y-%m-%d",
  r: "%I:%M:%S %p",
  R: "%H:%M",
  T: "%H:%M:%S",
  X: "%H:%M:%S",
});
const CONVERSION = /%([-_0^#]*)((?:[1-9]\d*)?)(:*)([A-Za-z%])/g;
const WIDEST = 1024;

/** Writes a time as strftime() and `date` do, in UTC and in C's locale. `time` is in milliseconds since 1970. */
export function formatDate(format: string, time: number, nanoseconds = (time % 1000) * 1_000_000): string {
  const date = new Date(time);
  // "^" makes letters upper-case ones.
  return format.replace(CONVERSION, (whole, flags: string, width: string, colons: string, type: string) => {
    const compound = COMPOUND[type];
    if (compound !== undefined) return cased(formatDate(compound, time), flags);
    const part = partOf(type, date, nanoseconds, colons);
    if (part === undefined) return whole;
    const [text, digits, filler] = part;
    if (flags.includes("-") || (digits === 0 && width === "")) return cased(text, flags);
    const fill = flags.includes("_") ? " " : flags.includes("0") ? "0" : filler;
    if (type === "N") return width === "" ? text : text.slice(0, Number(width));
    return cased(text.padStart(Math.min(WIDEST, width === "" ? digits : Number(width)), fill), flags);
  });
}

const cased = (text: string, flags: string): string => (flags.includes("^") ? text.toUpperCase() : text);

type Part = readonly [text: string, digits: number, filler: string];

const zeros = (number: number, digits: number): Part => [String(number), digits, "0"];
const blanks = (number: number, digits: number): Part => [String(number), digits, " "];
const words = (text: string): Part => [text, 0, " "];

function partOf(type: string, date: Date, nanoseconds: number, colons: string): Part | undefined {
  const day = date.getUTCDay();
  const hour = date.getUTCHours();
  const year = date.getUTCFullYear();
  switch (type) {
    case "%":
      return words("%");
    case "n":
      return words("\n");
    case "t":
      return words("\t");
    case "a":
      return words((DAYS[day] ?? "").slice(0, 3));
    case "A":
      return words(DAYS[day] ?? "");
    case "b":
    case "h":
      return words((MONTHS[date.getUTCMonth()] ?? "").slice(0, 3));
    case "B":
      return words(MONTHS[date.getUTCMonth()] ?? "");
    case "C":
      return zeros(Math.floor(year / 100), 2);
    case "d":
      return zeros(date.getUTCDate(), 2);
    case "e":
      return blanks(date.getUTCDate(), 2);
    case "g":
      return zeros(isoWeek(date).year % 100, 2);
    case "G":
      return zeros(isoWeek(date).year, 4);
    case "H":
      return zeros(hour, 2);
    case "I":
      return zeros(hour % 12 === 0 ? 12 : hour % 12, 2);
    case "j":
      return zeros(dayOfYear(date), 3);
    case "k":
      return blanks(hour, 2);
    case "l":
      return blanks(hour % 12 === 0 ? 12 : hour % 12, 2);
    case "m":
      return zeros(date.getUTCMonth() + 1, 2);
    case "M":
      return zeros(date.getUTCMinutes(), 2);
    case "N":
      return [String(nanoseconds).padStart(9, "0"), 9, "0"];
    case "p":
      return words(hour < 12 ? "AM" : "PM");
    case "P":
      return words(hour < 12 ? "am" : "pm");
    case "q":
      return zeros(Math.floor(date.getUTCMonth() / 3) + 1, 1);
    case "s":
      return zeros(Math.floor(date.getTime() / 1000), 1);
    case "S":
      return zeros(date.getUTCSeconds(), 2);
    case "u":
      return zeros(day === 0 ? 7 : day, 1);
    case "U":
      return zeros(Math.floor((dayOfYear(date) + 6 - day) / 7), 2);
    case "V":
      return zeros(isoWeek(date).week, 2);
    case "w":
      return zeros(day, 1);
    case "W":
      return zeros(Math.floor((dayOfYear(date) + 6 - ((day + 6) % 7)) / 7), 2);
    case "y":
      return zeros(((year % 100) + 100) % 100, 2);
    case "Y":
      return zeros(year, 4);
    case "z":
      return words(["+0000", "+00:00", "+00:00:00", "+00"][colons.length] ?? "+0000");
    case "Z":
      return words("UTC");
    default:
      return undefined;
  }
}

const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;

/** The week that holds a date's Thursday. */
function isoWeek(date: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(date.getTime() + (3 - ((date.getUTCDay() + 6) % 7)) * DAY_MS);
  return { year: thursday.getUTCFullYear(), week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1 };
}
