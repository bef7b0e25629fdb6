import { invalidDuration, missingUnit, unknownUnit } from "../../base/text/go-errors.js";

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1e3],
  ["\u00b5s", 1e3],
  ["\u03bcs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3600e9],
]);

const MAX_NANOSECONDS = 2 ** 63;

/** Parses a duration as Go's time.ParseDuration does ("1h30m", "-1.5s", "0"), into milliseconds. @throws with Go's text */
export function parseDuration(text: string): number {
  const negative = text.startsWith("-");
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return 0;
  if (rest === "") throw invalidDuration(text);
  let nanoseconds = 0;
  while (rest !== "") {
    const number = /^(\d*)(?:\.(\d*))?/.exec(rest);
    const digits = `${number?.[1] ?? ""}${number?.[2] ?? ""}`;
    if (number === null || digits === "") throw invalidDuration(text);
    rest = rest.slice(number[0].length);
    const unit = /^[^.\d]*/.exec(rest)?.[0] ?? "";
    if (unit === "") throw missingUnit(text);
    rest = rest.slice(unit.length);
    const scale = UNITS.get(unit);
    if (scale === undefined) throw unknownUnit(unit, text);
    nanoseconds += Number(`${number[1] || "0"}.${number[2] || "0"}`) * scale;
    if (nanoseconds > MAX_NANOSECONDS) throw invalidDuration(text);
  }
  return ((negative ? -1 : 1) * Math.trunc(nanoseconds)) / 1e6;
}
