const UNIT_MS: Readonly<Record<string, number>> = {
  __proto__: null as never,
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration as Go writes it ("1h30m", "-1.5s", "0"); undefined for anything else. */
export function parseGoDuration(text: string): number | undefined {
  const match = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text);
  if (match === null) return /^[+-]?0$/.test(text) ? 0 : undefined;
  let total = 0;
  for (const [, amount, unit] of (match[2] ?? "").matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  }
  return match[1] === "-" ? -total : total;
}
