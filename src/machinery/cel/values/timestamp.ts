import { TIMESTAMP } from "../types/type.js";
import { CelValue, ErrorValue, type Value } from "./value.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";

/** 0001-01-01T00:00:00Z. */
const MIN_SECONDS = -62_135_596_800n;
/** 9999-12-31T23:59:59Z. */
const MAX_SECONDS = 253_402_300_799n;
const NS = 1_000_000_000n;

/** A point in time, in nanoseconds since 1970. */
export class Timestamp extends CelValue {
  readonly type = TIMESTAMP;
  readonly nanoseconds: bigint;
  /** Of the zone that it was written in, in minutes east of UTC: it is printed in that zone, and no function asks for it. */
  readonly offset: number;

  constructor(nanoseconds: bigint, offset = 0) {
    super();
    this.nanoseconds = nanoseconds;
    this.offset = offset;
  }

  equals(other: Value): boolean {
    return other instanceof Timestamp && other.nanoseconds === this.nanoseconds;
  }

  /** Whole seconds since 1970, rounded down. */
  get seconds(): bigint {
    return (this.nanoseconds - this.fraction) / NS;
  }

  /** The nanoseconds above the whole second, from 0 to below 10^9. */
  get fraction(): bigint {
    return ((this.nanoseconds % NS) + NS) % NS;
  }

  /** RFC 3339, with as many digits of a second as it takes. */
  override toString(): string {
    const local = new Date((Number(this.seconds) + this.offset * 60) * 1000);
    const whole = local.toISOString().replace(/\.000Z$/, "");
    const fraction = withoutTrailing(this.fraction.toString().padStart(9, "0"), "0");
    return `${whole}${fraction === "" ? "" : `.${fraction}`}${zoneOf(this.offset)}`;
  }
}

function zoneOf(offset: number): string {
  if (offset === 0) return "Z";
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const digits = (part: number): string => String(part).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${digits(hours)}:${digits(minutes)}`;
}

export const TIMESTAMP_OVERFLOW = new ErrorValue("timestamp overflow");

export function checkedTimestamp(nanoseconds: bigint, offset = 0): Timestamp | ErrorValue {
  const timestamp = new Timestamp(nanoseconds, offset);
  const { seconds } = timestamp;
  return seconds < MIN_SECONDS || seconds > MAX_SECONDS ? TIMESTAMP_OVERFLOW : timestamp;
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([-+])(\d\d):(\d\d))$/;

/** Parses RFC 3339; undefined for anything else, also for a day that does not exist. */
export function parseTimestamp(text: string): Timestamp | ErrorValue | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year = "",
    month = "",
    day = "",
    hours = "",
    minutes = "",
    seconds = "",
    fraction = "",
    sign,
    zoneHours,
    zoneMinutes,
  ] = match;
  const numbers = [year, month, day, hours, minutes, seconds].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(numbers[0], numbers[1] - 1, numbers[2]);
  date.setUTCHours(numbers[3], numbers[4], numbers[5]);
  const isDate = date.getUTCMonth() === numbers[1] - 1 && date.getUTCDate() === numbers[2];
  if (!isDate || numbers[3] > 23 || numbers[4] > 59 || numbers[5] > 59) return undefined;
  const offset = sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === "-" ? -1 : 1);
  const whole = BigInt(date.getTime() / 1000 - offset * 60) * NS;
  return checkedTimestamp(whole + BigInt(fraction.slice(0, 9).padEnd(9, "0")), offset);
}
