import { klogLine, klogText, type LogValues } from "../../machinery/text/klog/klog.js";
import { valuesText } from "../../machinery/text/klog/leveled-log.js";
import { goQuote } from "../../base/text/go-quote.js";

/** One message of a component's log. */
export interface LogEntry {
  readonly severity: "I" | "W" | "E";
  /** The -v from which on it is logged. */
  readonly level: number;
  /** The file and line of Kubernetes that the message stands for, with the file's folder: "server/secure_serving.go:211". */
  readonly source: string;
  readonly message: string;
  /** Undefined: the message is a whole sentence, which the text format prints as it is, without quotes. */
  readonly values: LogValues | undefined;
  readonly error: string | undefined;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Turns a message into the lines of a log. */
export type LogFormat = (entry: LogEntry) => string;

/** klog's form: `I1121 07:00:08.408700    7272 httplog.go:134] "HTTP" verb="GET" resp=200`. */
export const textLine: LogFormat = ({ severity, source, message, values, error, time }) => {
  const isPlain = values === undefined && error === undefined;
  const failure = error === undefined ? "" : ` err=${klogText(error)}`;
  const text = isPlain ? message : `${goQuote(message)}${failure}${valuesText(values ?? {})}`;
  return klogLine(severity, fileOf(source), text, new Date(time), process.pid);
};

/**
 * The form of component-base's JSON, a line for each message: `{"ts":1785571208408,"caller":"httplog/httplog.go:134","msg":"HTTP","v":3,"verb":"GET"}`.
 * Errors have no "v", and "err" at the end.
 */
export const jsonLine: LogFormat = ({ severity, level, source, message, values = {}, error, time }) => {
  const fields = [`"ts":${time}`, `"caller":${jsonText(source)}`, `"msg":${jsonText(message)}`];
  if (severity !== "E") fields.push(`"v":${level}`);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    fields.push(`${jsonText(name)}:${typeof value === "string" ? jsonText(value) : JSON.stringify(value)}`);
  }
  if (error !== undefined) fields.push(`"err":${jsonText(error)}`);
  return `{${fields.join(",")}}\n`;
};

/** The name of the file and the line, without the folder. */
export const fileOf = (source: string): string => source.slice(source.lastIndexOf("/") + 1);

/** A string as zap writes it: it has no short form of two control characters, and replaces what is no character. */
function jsonText(text: string): string {
  const quoted = JSON.stringify(text.replace(/[\ud800-\udfff]/gu, "\ufffd"));
  return quoted.replace(/\\(.)/g, (all, escaped) => {
    if (escaped === "b") return "\\u0008";
    return escaped === "f" ? "\\u000c" : String(all);
  });
}
