import { goQuote } from "../base/go-quote.js";

type Severity = "I" | "W" | "E" | "F";

/**
 * A line as klog writes it to stderr, in local time:
 * `E1121 07:00:08.408700    7272 memcache.go:265] "Unhandled Error" err="..."`. F is what ends the program.
 */
export function klogLine(severity: Severity, source: string, message: string, now: Date, pid = 1): string {
  return `${klogHeader(severity, source, now, pid)} ${message}\n`;
}

/** An error with its cause, which is quoted, or a block of lines when it has several. */
export function klogError(source: string, message: string, error: string, now: Date, pid?: number): string {
  const value = error.includes("\n") ? `<\n${error.replace(/^/gm, "\t")}\n >` : goQuote(error);
  return klogLine("E", source, `${goQuote(message)} err=${value}`, now, pid);
}

/** `W1121 07:00:08.408700       1 helpers.go:718] --dry-run is deprecated...`. */
export const klogWarning = (source: string, message: string, now: Date, pid?: number): string =>
  klogLine("W", source, message, now, pid);

/** What klog begins a line with. */
export function klogHeader(severity: Severity, source: string, now: Date, pid: number): string {
  const pad = (value: number, width = 2): string => String(value).padStart(width, "0");
  const date = `${pad(now.getMonth() + 1)}${pad(now.getDate())}`;
  const time = `${pad(now.getHours())}:${pad(now.getMinutes())}:${pad(now.getSeconds())}.${pad(now.getMilliseconds(), 3)}000`;
  return `${severity}${date} ${time} ${String(pid).padStart(7)} ${source}]`;
}
