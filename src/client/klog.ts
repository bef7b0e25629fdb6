import { goQuote } from "../base/go-quote.js";

/** A line as klog writes errors to stderr: `E1121 07:00:08.408700    7272 memcache.go:265] "Unhandled Error" err="..."`. */
export function klogError(source: string, message: string, error: string, now: Date, pid: number): string {
  const value = error.includes("\n")
    ? `<\n${error
        .split("\n")
        .map((line) => `\t${line}\n`)
        .join("")} >`
    : goQuote(error);
  return `${klogHeader("E", source, now, pid)} ${goQuote(message)} err=${value}\n`;
}

/** What klog begins a line with; F is what ends the program. */
export function klogHeader(severity: "E" | "F", source: string, now: Date, pid: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const micros = `${String(now.getMilliseconds()).padStart(3, "0")}000`;
  const time = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}.${micros}`;
  return `${severity}${date} ${time} ${String(pid).padStart(7)} ${source}]`;
}
