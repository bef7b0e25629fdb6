import { byteFor, bytesOf } from "../../../base/text/byte-text.js";
import type { Clock } from "../../../base/time/clock.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { klogLine, klogText, type LogValues, type VerboseLog } from "./klog.js";

export interface LeveledLogOptions {
  /** -v. */
  readonly level: number;
  /** --vmodule: `pattern=N`, separated by commas. The first pattern that matches a file sets its level. */
  readonly modules: string;
  /** Receives a line as bytes when it contains invalid UTF-8. */
  readonly write: (line: string | Uint8Array) => void;
  readonly clock: Clock;
  readonly pid: number;
}

/** Creates a log with klog's rules. --vmodule can only raise the level of a file above that of -v. */
export function leveledLog({ level, modules, write, clock, pid }: LeveledLogOptions): VerboseLog {
  const levelOf = moduleLevels(modules);
  const enabled = (wanted: number, file: string): boolean => wanted <= level || wanted <= levelOf(file);
  const line = (source: string, text: string): void => {
    const whole = klogLine("I", source, text, new Date(clock.now()), pid);
    write(STRAY_BYTE.test(whole) ? bytesOf(whole) : whole);
  };
  return {
    enabled,
    info: (wanted, source, message) => {
      if (enabled(wanted, fileOf(source))) line(source, message);
    },
    structured: (wanted, source, message, values) => {
      if (enabled(wanted, fileOf(source))) line(source, `${goQuote(message)}${valuesText(values)}`);
    },
  };
}

/** Reads --vmodule: returns the level of a file without ".go", 0 for one that no pattern matches. */
export function moduleLevels(modules: string): (file: string) => number {
  const patterns = modules.split(",").filter(Boolean).map(modulePattern);
  return (file) => patterns.find(({ fits }) => fits.test(file))?.level ?? 0;
}

/** A byte of invalid UTF-8, in the encoding of base/text/byte-text.ts. */
const STRAY_BYTE = /[\udc80-\udcff]/u;

const fileOf = (source: string): string => source.slice(0, source.indexOf(".go:"));

function modulePattern(text: string): { readonly fits: RegExp; readonly level: number } {
  const [pattern = "", level = ""] = text.split("=");
  return { fits: globPattern(pattern), level: Number(level) };
}

/** Compiles a pattern of Go's filepath.Match without slashes: `*`, `?`, `[a-z]`, `[^a]`. A backslash escapes the next character. */
function globPattern(pattern: string): RegExp {
  const source = pattern.replaceAll(/\\(.)|(\[\^?[^\]]+\])|([*?])|([^\w])/g, (...[all, escaped, set, wild]) => {
    if (typeof set === "string") return set;
    if (wild === "*") return "[^]*";
    if (wild === "?") return "[^]";
    return `\\${typeof escaped === "string" ? escaped : String(all)}`;
  });
  return new RegExp(`^${source}$`);
}

/** The values of a structured line: ` verb="GET" resp=200`. */
export function valuesText(values: LogValues): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? textOf(value) : JSON.stringify(value)}`)
    .join("");
}

/** Prints a value. A stray byte stays as it is in a block and is escaped between quotes. */
function textOf(text: string): string {
  if (text.includes("\n") || !STRAY_BYTE.test(text)) return klogText(text);
  const pieces = text.split(/([\udc80-\udcff])/u).map((piece) => {
    const byte = piece === "" ? undefined : byteFor(piece);
    return byte === undefined ? goQuote(piece).slice(1, -1) : `\\x${byte.toString(16)}`;
  });
  return `"${pieces.join("")}"`;
}
