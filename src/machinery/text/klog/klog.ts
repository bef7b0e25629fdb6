import { goQuote } from "../../../base/text/go-quote.js";

type Severity = "I" | "W" | "E" | "F";

/**
 * The log that -v configures. Each line has a level and its source in kubectl: "round_trippers.go:632". The log writes a
 * line when -v or the --vmodule pattern of its file is at least its level.
 */
export interface VerboseLog {
  /** Tells whether a line would be written, before a caller computes an expensive one. `file` has no ".go", as in --vmodule. */
  enabled(level: number, file: string): boolean;
  /** `I1121 07:00:08.408700    7272 loader.go:408] Config loaded from file:  /home/me/.kube/config`. */
  info(level: number, source: string, message: string): void;
  /**
   * `I1121 07:00:08.408700    7272 round_trippers.go:632] "Response" status="200 OK" milliseconds=4`, with the values in
   * their order. The log writes a text of several lines as a block.
   */
  structured(level: number, source: string, message: string, values: LogValues): void;
}

/** The values of a log line. Values other than strings are encoded as JSON, and undefined ones are omitted. */
export type LogValues = Readonly<Record<string, string | number | boolean | readonly object[] | undefined>>;

/**
 * A line of klog's output on stderr, in local time: `E1121 07:00:08.408700    7272 memcache.go:381] "Couldn't get
 * current server API group list" err="..."`. Severity F is a fatal error.
 */
export function klogLine(severity: Severity, source: string, message: string, now: Date, pid = 1): string {
  return `${klogHeader(severity, source, now, pid)} ${message}\n`;
}

/** An error that klog logs while the command goes on. */
export interface LoggedError {
  /** The place in kubectl that logs it: "memcache.go:381". */
  readonly source: string;
  readonly message: string;
  readonly error: string;
  /** Values behind the error, in their order. */
  readonly values?: Readonly<Record<string, string | number>>;
}

/** An error line. klog quotes an error of one line and prints a longer one as a block. */
export function klogError({ source, message, error, values = {} }: LoggedError, now: Date, pid?: number): string {
  const more = Object.entries(values).map(([name, value]) => {
    return ` ${name}=${typeof value === "string" ? klogText(value) : value}`;
  });
  return klogLine("E", source, `${goQuote(message)} err=${klogText(error)}${more.join("")}`, now, pid);
}

/** The text of a structured line: quoted, or indented below its name when it has several lines. */
export function klogText(text: string): string {
  if (!text.includes("\n")) return goQuote(text);
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  return `<\n${body.replace(/^/gm, "\t")}\n >`;
}

/** A warning line: `W1121 07:00:08.408700       1 helpers.go:714] --dry-run is deprecated...`. */
export const klogWarning = (source: string, message: string, now: Date, pid?: number): string =>
  klogLine("W", source, message, now, pid);

/** The head of a klog line: severity, date, time, process and source. */
export function klogHeader(severity: Severity, source: string, now: Date, pid: number): string {
  const pad = (value: number, width = 2): string => String(value).padStart(width, "0");
  const date = `${pad(now.getMonth() + 1)}${pad(now.getDate())}`;
  const time = `${pad(now.getHours())}:${pad(now.getMinutes())}:${pad(now.getSeconds())}.${pad(now.getMilliseconds(), 3)}000`;
  return `${severity}${date} ${time} ${String(pid).padStart(7)} ${source}]`;
}
