import { dictionary } from "../../../base/collections/dictionary.js";
import type { JsonValue } from "../../meta/json.js";
import { integerOf, ProtobufError, readFields, textOf } from "./wire-reader.js";
import type { BackwardWriter } from "./backward-writer.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";

/** Seconds since the epoch at which the years 0 and 10000 begin: what no text can say is outside. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_800;
const NANOSECONDS = 1_000_000_000;

/**
 * Decodes meta/v1 Time and MicroTime: seconds and nanoseconds since the epoch; an empty message is null. Throws a {@link
 * ProtobufError} for a time whose year does not have four digits.
 */
export function readTime(message: Uint8Array, digits: 0 | 6): JsonValue {
  if (message.length === 0) return null;
  let seconds = 0;
  let nanoseconds = 0;
  for (const { number, value } of readFields(message)) {
    if (number === 1) seconds = Number(integerOf(value));
    if (number === 2) nanoseconds = Number(BigInt.asIntN(32, BigInt(integerOf(value))));
  }
  seconds += Math.floor(nanoseconds / NANOSECONDS);
  nanoseconds -= Math.floor(nanoseconds / NANOSECONDS) * NANOSECONDS;
  if (seconds < FIRST_SECOND || seconds >= LAST_SECOND)
    throw new ProtobufError(`proto: time ${seconds} is out of range`);
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (digits === 0) return `${whole}Z`;
  return `${whole}.${String(nanoseconds).padStart(9, "0").slice(0, digits)}Z`;
}

/** Writes a time as protobuf; the inverse of {@link readTime}. Null writes nothing. */
export function writeTime(writer: BackwardWriter, value: unknown): void {
  if (typeof value !== "string") return;
  const point = value.indexOf(".");
  const fraction = point < 0 ? "" : (/^\d+/.exec(value.slice(point + 1))?.[0] ?? "");
  writer.integer(2, fraction === "" ? 0 : Number(fraction.padEnd(9, "0").slice(0, 9)));
  writer.integer(1, Math.floor(Date.parse(value) / 1000));
}

/** Decodes a Duration of meta/v1, from nanoseconds to the text that Go prints. */
export function readDuration(message: Uint8Array): string {
  let nanoseconds = 0n;
  for (const { number, value } of readFields(message)) if (number === 1) nanoseconds = BigInt(integerOf(value));
  return formatNanoseconds(nanoseconds);
}

/** Decodes intstr.IntOrString: its type, and both values. */
export function readIntOrString(message: Uint8Array): JsonValue {
  let isText = false;
  let integer = 0;
  let text = "";
  for (const { number, value } of readFields(message)) {
    if (number === 1) isText = integerOf(value) === 1;
    if (number === 2) integer = Number(integerOf(value));
    if (number === 3) text = textOf(value);
  }
  return isText ? text : integer;
}

/** Writes an IntOrString as protobuf; the inverse of {@link readIntOrString}. */
export function writeIntOrString(writer: BackwardWriter, value: unknown): void {
  const isText = typeof value === "string";
  writer.text(3, isText ? value : "");
  writer.integer(2, isText ? 0 : Number(value));
  writer.integer(1, isText);
}

/** Writes a duration as protobuf; the inverse of {@link readDuration}. */
export function writeDuration(writer: BackwardWriter, value: unknown): void {
  writer.integer(1, parseNanoseconds(String(value)));
}

const SECOND = 1_000_000_000n;

/** time.Duration's String. */
function formatNanoseconds(total: bigint): string {
  if (total === 0n) return "0s";
  const sign = total < 0n ? "-" : "";
  const size = total < 0n ? -total : total;
  if (size < SECOND) {
    const [unit, scale] =
      size < 1000n
        ? (["ns", 1n] as const)
        : size < 1_000_000n
          ? (["µs", 1000n] as const)
          : (["ms", 1_000_000n] as const);
    return `${sign}${decimal(size, scale)}${unit}`;
  }
  const hours = size / (3600n * SECOND);
  const minutes = (size / (60n * SECOND)) % 60n;
  const seconds = `${decimal(size % (60n * SECOND), SECOND)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

function decimal(value: bigint, scale: bigint): string {
  const digits = (value % scale).toString().padStart(scale.toString().length - 1, "0");
  const fraction = withoutTrailing(digits, "0");
  return fraction === "" || scale === 1n ? String(value / scale) : `${value / scale}.${fraction}`;
}

const UNIT_NANOSECONDS: Readonly<Record<string, bigint>> = dictionary({
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
});

/** {@link formatNanoseconds} the other way round. */
function parseNanoseconds(text: string): bigint {
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(
    /(?<!\d)(\d+)(?:\.(\d+))?(ns|us|µs|ms|s|m|h)/g,
  )) {
    const scale = UNIT_NANOSECONDS[unit] ?? 0n;
    total += BigInt(whole) * scale + (BigInt(fraction || "0") * scale) / 10n ** BigInt(fraction.length);
  }
  return text.startsWith("-") ? -total : total;
}
