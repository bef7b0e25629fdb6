import type { Clock } from "../base/clock.js";
import { goQuote } from "../base/go-quote.js";
import { klogLine, klogText, type LogValues, type VerboseLog } from "./klog.js";

export interface LeveledLogOptions {
  /** -v. */
  readonly level: number;
  /** --vmodule: `pattern=N`, separated by commas. The first pattern that fits a file gives its level. */
  readonly modules: string;
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly pid: number;
}

/** A log with klog's rules: --vmodule adds to what -v lets through and takes nothing away. */
export function leveledLog({ level, modules, write, clock, pid }: LeveledLogOptions): VerboseLog {
  const patterns = modules.split(",").filter(Boolean).map(modulePattern);
  const levelOf = (file: string): number => patterns.find(({ fits }) => fits.test(file))?.level ?? 0;
  const enabled = (wanted: number, file: string): boolean => wanted <= level || wanted <= levelOf(file);
  const line = (source: string, text: string): void => write(klogLine("I", source, text, new Date(clock.now()), pid));
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

const fileOf = (source: string): string => source.slice(0, source.indexOf(".go:"));

function modulePattern(text: string): { readonly fits: RegExp; readonly level: number } {
  const [pattern = "", level = ""] = text.split("=");
  return { fits: globPattern(pattern), level: Number(level) };
}

/** Go's filepath.Match without slashes: `*`, `?`, `[a-z]`, `[^a]` and a backslash before what is meant as it is. */
function globPattern(pattern: string): RegExp {
  const source = pattern.replaceAll(/\\(.)|(\[\^?[^\]]+\])|([*?])|([^\w])/g, (...[all, escaped, set, wild]) => {
    if (typeof set === "string") return set;
    if (wild === "*") return "[^]*";
    if (wild === "?") return "[^]";
    return `\\${typeof escaped === "string" ? escaped : String(all)}`;
  });
  return new RegExp(`^${source}$`);
}

function valuesText(values: LogValues): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? klogText(value) : JSON.stringify(value)}`)
    .join("");
}
