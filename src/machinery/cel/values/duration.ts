import { dictionary } from "../../../base/collections/dictionary.js";
import { DURATION } from "../types/type.js";
import { CelValue, ErrorValue, type Value } from "./value.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";

const NANOSECONDS: Readonly<Record<string, bigint>> = dictionary({
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
});
const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** A span of time in nanoseconds, which int64 holds (292 years), as Go's. */
export class Duration extends CelValue {
  readonly type = DURATION;
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    super();
    this.nanoseconds = nanoseconds;
  }

  equals(other: Value): boolean {
    return other instanceof Duration && other.nanoseconds === this.nanoseconds;
  }

  /** As `string(duration)` writes it: seconds, with as many digits as it takes (`1.5s`). */
  override toString(): string {
    const sign = this.nanoseconds < 0n ? "-" : "";
    const size = this.nanoseconds < 0n ? -this.nanoseconds : this.nanoseconds;
    const fraction = withoutTrailing((size % NS).toString().padStart(9, "0"), "0");
    return `${sign}${size / NS}${fraction === "" ? "" : `.${fraction}`}s`;
  }
}

const NS = 1_000_000_000n;

export const DURATION_OVERFLOW = new ErrorValue("duration overflow");

export function checkedDuration(nanoseconds: bigint): Duration | ErrorValue {
  return nanoseconds < MIN || nanoseconds > MAX ? DURATION_OVERFLOW : new Duration(nanoseconds);
}

/** Parses Go's syntax (`1h2m3.5s`, `-4ms`); undefined for anything else, and for a value beyond int64 nanoseconds. */
export function parseDuration(text: string): Duration | undefined {
  const match = /^([-+]?)(.+)$/s.exec(text);
  if (match === null) return undefined;
  const [, sign, rest = ""] = match;
  if (rest === "0") return new Duration(0n);
  const parts = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/uy;
  let total = 0n;
  while (parts.lastIndex < rest.length) {
    const part = parts.exec(rest);
    if (part === null) return undefined;
    const [, whole = "", fraction = "", unit = ""] = part;
    if (whole === "" && fraction === "") return undefined;
    const scale = NANOSECONDS[unit] ?? 1n;
    total += BigInt(whole === "" ? "0" : whole) * scale + fractionOf(fraction, scale);
    if (total > MAX + 1n) return undefined;
  }
  if (sign === "-") return new Duration(-total);
  return total > MAX ? undefined : new Duration(total);
}

function fractionOf(digits: string, scale: bigint): bigint {
  const kept = digits.slice(0, 18);
  return kept === "" ? 0n : (BigInt(kept) * scale) / 10n ** BigInt(kept.length);
}
