import { dictionary } from "../collections/dictionary.js";

/** Parses a text as Go's strconv.ParseBool does; undefined where that fails. */
export function parseGoBool(text: string): boolean | undefined {
  if (/^(1|[tT](rue)?|TRUE)$/.test(text)) return true;
  if (/^(0|[fF](alse)?|FALSE)$/.test(text)) return false;
  return undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = dictionary({
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
});

/** Parses a duration as Go writes it ("1h30m", "-1.5s", "0") into milliseconds; undefined for any other text. */
export function parseGoDuration(text: string): number | undefined {
  const match = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text);
  if (match === null) return /^[+-]?0$/.test(text) ? 0 : undefined;
  let total = 0;
  for (const [, amount, unit] of (match[2] ?? "").matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  }
  return match[1] === "-" ? -total : total;
}
