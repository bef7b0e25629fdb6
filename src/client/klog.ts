import { goQuote } from "../base/go-quote.js";

type Severity = "I" | "W" | "E" | "F";

/**
 * A line of klog's output on stderr, in local time: `E1121 07:00:08.408700    7272 memcache.go:265] "Unhandled Error"
 * err="..."`. Severity F is a fatal error.
 */
export function klogLine(severity: Severity, source: string, message: string, now: Date, pid = 1): string {
  return `${klogHeader(severity, source, now, pid)} ${message}\n`;
}

/** An error line. klog quotes an error of one line and prints a longer one as a block. */
export function klogError(source: string, message: string, error: string, now: Date, pid?: number): string {
  const value = error.includes("\n") ? `<\n${error.replace(/^/gm, "\t")}\n >` : goQuote(error);
  return klogLine("E", source, `${goQuote(message)} err=${value}`, now, pid);
}

/** A warning line: `W1121 07:00:08.408700       1 helpers.go:718] --dry-run is deprecated...`. */
export const klogWarning = (source: string, message: string, now: Date, pid?: number): string =>
  klogLine("W", source, message, now, pid);

/** The head of a klog line: severity, date, time, process and source. */
export function klogHeader(severity: Severity, source: string, now: Date, pid: number): string {
  const pad = (value: number, width = 2): string => String(value).padStart(width, "0");
  const date = `${pad(now.getMonth() + 1)}${pad(now.getDate())}`;
  const time = `${pad(now.getHours())}:${pad(now.getMinutes())}:${pad(now.getSeconds())}.${pad(now.getMilliseconds(), 3)}000`;
  return `${severity}${date} ${time} ${String(pid).padStart(7)} ${source}]`;
}
