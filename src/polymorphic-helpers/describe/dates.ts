import { type OrAbsent, text } from "../../machinery/meta/received.js";

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Go's zero time, which no zone moves. */
const NO_DATE = "Mon, 01 Jan 0001 00:00:00 +0000";
const NO_TIME = "0001-01-01 00:00:00 +0000 UTC";

/** Formats a time of the API by RFC 1123, in the time zone of this machine. */
export function dateText(time: OrAbsent<string>): string {
  const milliseconds = Date.parse(text(time));
  if (Number.isNaN(milliseconds)) return NO_DATE;
  const date = new Date(milliseconds);
  const [day, month] = [DAYS[date.getDay()], MONTHS[date.getMonth()]];
  const daytime = clockText(date);
  return `${day}, ${pad(date.getDate(), 2)} ${month} ${pad(date.getFullYear(), 4)} ${daytime} ${zoneOffset(date)}`;
}

/** As Go's String writes a time: "2026-01-31 13:05:09 +0100 CET", in the zone of this machine. */
export function timeText(time: OrAbsent<string>, zoneName: (milliseconds: number) => string): string {
  const milliseconds = Date.parse(text(time));
  if (Number.isNaN(milliseconds)) return NO_TIME;
  const date = new Date(milliseconds);
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)}`;
  return `${day} ${clockText(date)} ${zoneOffset(date)} ${zoneName(milliseconds)}`;
}

/** "13:05:09" */
const clockText = (date: Date): string =>
  [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => pad(part, 2)).join(":");

/** "+0100" */
function zoneOffset(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${pad(Math.trunc(size / 60), 2)}${pad(size % 60, 2)}`;
}

const pad = (value: number, length: number): string => String(value).padStart(length, "0");
