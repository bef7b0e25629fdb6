const known = new Map<string, boolean>();

/** Whether the tz database has a zone of this name, in its own spelling. */
export function isTimeZone(name: string): boolean {
  let answer = known.get(name);
  if (answer === undefined) {
    answer = lookUp(name);
    if (known.size < 1000) known.set(name, answer);
  }
  return answer;
}

function lookUp(name: string): boolean {
  if (name === "UTC") return true;
  // What ECMAScript takes beside names is an offset.
  if (/^[+-]/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** Names are written in many ways, and each format takes memory. */
const MOST_FORMATS = 64;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether the next offset of this zone is quickly found. */
export function knowsZone(zone: string): boolean {
  return formats.has(zone);
}

/** Seconds east of UTC in a zone of the tz database, at a time in seconds since the Unix epoch. Throws a RangeError for a zone there is none of. */
export function zoneOffset(zone: string, seconds: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    if (formats.size >= MOST_FORMATS) formats.clear();
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "iso8601",
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  const parts = new Map(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]));
  const local = new Date(0);
  local.setUTCFullYear(parts.get("year") ?? 0, (parts.get("month") ?? 1) - 1, parts.get("day") ?? 1);
  local.setUTCHours(parts.get("hour") ?? 0, parts.get("minute") ?? 0, parts.get("second") ?? 0);
  return local.getTime() / 1000 - seconds;
}
