import { goQuote } from "../base/go-quote.js";

type Severity = "I" | "W" | "E" | "F";

/**
 * The lines that -v asks for. Each has a level, and the place in kubectl's source that logs it: "round_trippers.go:632". A
 * line is written when -v reaches its level, or --vmodule gives its file as much.
 */
export interface VerboseLog {
  /** For what takes work to put together. `file` is without ".go", as --vmodule names it. */
  enabled(level: number, file: string): boolean;
  /** `I1121 07:00:08.408700    7272 loader.go:407] Config loaded from file:  /home/me/.kube/config`. */
  info(level: number, source: string, message: string): void;
  /**
   * `I1121 07:00:08.408700    7272 round_trippers.go:632] "Response" status="200 OK" milliseconds=4`, values in their order. A
   * text of several lines is a block of them.
   */
  structured(level: number, source: string, message: string, values: LogValues): void;
}

/** JSON's values are written as such, undefined ones left out. */
export type LogValues = Readonly<Record<string, string | number | boolean | readonly object[] | undefined>>;

/**
 * A line as klog writes it to stderr, in local time:
 * `E1121 07:00:08.408700    7272 memcache.go:265] "Unhandled Error" err="..."`. F is what ends the program.
 */
export function klogLine(severity: Severity, source: string, message: string, now: Date, pid = 1): string {
  return `${klogHeader(severity, source, now, pid)} ${message}\n`;
}

/** An error with its cause, which is quoted, or a block of lines when it has several. */
export function klogError(source: string, message: string, error: string, now: Date, pid?: number): string {
  return klogLine("E", source, `${goQuote(message)} err=${klogText(error)}`, now, pid);
}

/** The text of a structured line: quoted, or indented below its name when it has several lines. */
export function klogText(text: string): string {
  if (!text.includes("\n")) return goQuote(text);
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  return `<\n${body.replace(/^/gm, "\t")}\n >`;
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
