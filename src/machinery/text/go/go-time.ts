import { goQuote } from "../../../base/text/go-quote.js";

/** The error of Go's time.Parse for a text that does not fit the layout. */
export class TimeParseError extends Error {
  override readonly name = "TimeParseError";
}

const SECONDS = "2006-01-02T15:04:05Z07:00";
const MICROSECONDS = "2006-01-02T15:04:05.000000Z07:00";
const CANONICAL = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const CANONICAL_MICRO = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

/** Parses a metav1.Time by RFC 3339, and formats it in UTC and whole seconds. Throws a {@link TimeParseError} in time.Parse's words. */
export function canonicalizeTime(text: string): string {
  if (CANONICAL.test(text)) return text;
  const { milliseconds } = parseTime(text, SECONDS);
  return `${formatSeconds(milliseconds)}Z`;
}

/** Parses and formats a metav1.MicroTime, which always has six digits of a second. */
export function canonicalizeMicroTime(text: string): string {
  if (CANONICAL_MICRO.test(text)) return text;
  const { milliseconds, micros } = parseTime(text, MICROSECONDS);
  return `${formatSeconds(milliseconds)}.${String(micros).padStart(6, "0")}Z`;
}

function formatSeconds(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  // Years beyond 9999 come with a sign; they cannot be parsed, only reached by a zone offset.
  return text.slice(0, text.indexOf("."));
}

interface Parsed {
  /** Since the epoch, whole seconds. */
  readonly milliseconds: number;
  readonly micros: number;
}

class Cursor {
  rest: string;
  readonly #text: string;
  readonly #layout: string;

  constructor(text: string, layout: string) {
    this.rest = text;
    this.#text = text;
    this.#layout = layout;
  }

  cannot(element: string, at = this.rest): TimeParseError {
    return new TimeParseError(
      `parsing time ${goQuote(this.#text)} as ${goQuote(this.#layout)}: cannot parse ${goQuote(at)} as ${goQuote(element)}`,
    );
  }

  outOfRange(what: string): TimeParseError {
    return new TimeParseError(`parsing time ${goQuote(this.#text)}: ${what} out of range`);
  }

  extra(): TimeParseError {
    return new TimeParseError(`parsing time ${goQuote(this.#text)}: extra text: ${goQuote(this.rest)}`);
  }

  literal(text: string): void {
    if (!this.rest.startsWith(text)) throw this.cannot(text);
    this.rest = this.rest.slice(text.length);
  }

  digits(element: string, pattern: RegExp): number {
    const match = pattern.exec(this.rest);
    if (match === null) throw this.cannot(element);
    this.rest = this.rest.slice(match[0].length);
    return Number(match[0]);
  }
}

const TWO = /^\d\d/;
const ONE_OR_TWO = /^\d\d?/;

function parseTime(text: string, layout: string): Parsed {
  const cursor = new Cursor(text, layout);
  const year = cursor.digits("2006", /^\d{4}/);
  cursor.literal("-");
  const month = cursor.digits("01", TWO);
  if (month < 1 || month > 12) throw cursor.outOfRange("month");
  cursor.literal("-");
  const day = cursor.digits("02", TWO);
  cursor.literal("T");
  const hour = cursor.digits("15", ONE_OR_TWO);
  if (hour > 23) throw cursor.outOfRange("hour");
  cursor.literal(":");
  const minute = cursor.digits("04", TWO);
  if (minute > 59) throw cursor.outOfRange("minute");
  cursor.literal(":");
  const second = cursor.digits("05", TWO);
  if (second > 59) throw cursor.outOfRange("second");
  const micros = parseFraction(cursor, layout);
  const offset = parseZone(cursor);
  if (cursor.rest !== "") throw cursor.extra();
  if (day < 1 || day > daysIn(year, month)) throw cursor.outOfRange("day");
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return { milliseconds: date.getTime() - offset * 60_000, micros };
}

function parseFraction(cursor: Cursor, layout: string): number {
  if (layout === MICROSECONDS) {
    const match = /^[.,]\d{6}/.exec(cursor.rest);
    if (match === null) throw cursor.cannot(".000000");
    cursor.rest = cursor.rest.slice(match[0].length);
    return Number(match[0].slice(1));
  }
  const match = /^[.,]\d+/.exec(cursor.rest);
  if (match !== null) cursor.rest = cursor.rest.slice(match[0].length);
  return 0;
}

/** Minutes east of UTC. */
function parseZone(cursor: Cursor): number {
  if (cursor.rest.startsWith("Z")) {
    cursor.rest = cursor.rest.slice(1);
    return 0;
  }
  const match = /^([-+])(\d\d):(\d\d)/.exec(cursor.rest);
  if (match === null) throw cursor.cannot("Z07:00");
  const hours = Number(match[2]);
  const minutes = Number(match[3]);
  if (hours > 24) throw cursor.outOfRange("time zone offset hour");
  if (minutes > 60) throw cursor.outOfRange("time zone offset minute");
  cursor.rest = cursor.rest.slice(match[0].length);
  return (match[1] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
