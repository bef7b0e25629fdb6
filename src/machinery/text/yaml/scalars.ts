import type { JsonValue } from "../../meta/json.js";

/** The type that a scalar was resolved to. `binary` is base64 that is not decoded yet. */
export type ScalarTag = "str" | "bool" | "int" | "float" | "null" | "timestamp" | "binary" | "other";

export interface ResolvedScalar {
  readonly tag: ScalarTag;
  readonly value: JsonValue;
}

const words = new Map<string, ResolvedScalar>();
for (const word of ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]) {
  words.set(word, { tag: "bool", value: true });
}
for (const word of ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]) {
  words.set(word, { tag: "bool", value: false });
}
for (const word of ["", "~", "null", "Null", "NULL"]) words.set(word, { tag: "null", value: null });
for (const word of [".nan", ".NaN", ".NAN"]) words.set(word, { tag: "float", value: Number.NaN });
for (const sign of ["", "+", "-"]) {
  for (const word of [".inf", ".Inf", ".INF"]) {
    words.set(sign + word, { tag: "float", value: sign === "-" ? -Infinity : Infinity });
  }
}

const decimalFloat = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
/** strconv.ParseFloat's decimal grammar, for scalars that begin with a dot. */
const dottedFloat = /^\.[0-9]+([eE][-+]?[0-9]+)?$/;
const timestamp =
  /^[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]| (?!.*[Z+]))([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?$/;

const maxInt64 = 2n ** 63n - 1n;
const maxUint64 = 2n ** 64n - 1n;

/**
 * Reads a plain (unquoted, untagged) scalar as goyaml v2 does: YAML 1.1 words, C-like integers, no base 60, and
 * timestamps that stay text. Integers beyond int64 and uint64 become floats.
 */
export function resolvePlain(text: string): ResolvedScalar {
  const known = words.get(text);
  if (known !== undefined) return known;
  const first = text.charCodeAt(0);
  if (first === 0x2e) {
    return dottedFloat.test(text) ? float(text) : { tag: "str", value: text };
  }
  const digitOrSign = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d;
  if (!digitOrSign) return { tag: "str", value: text };
  if (isTimestamp(text)) return { tag: "timestamp", value: text };
  const plain = text.replaceAll("_", "");
  const integer = parseGoInteger(plain);
  if (integer !== undefined) return { tag: "int", value: narrow(integer) };
  if (decimalFloat.test(plain)) return float(plain);
  return { tag: "str", value: text };
}

/** The forms goyaml tries: a date, a date and time with a space, or RFC 3339 with a zone; each number in its range. */
function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text);
  if (match === null) return false;
  const [, month, day, hour, minute, second, zone] = match;
  if (hour !== undefined && /[Tt]/.test(text) !== (zone !== undefined)) return false;
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), Number(month), 0)).getUTCDate();
  return (
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= days &&
    Number(hour ?? 0) < 24 &&
    Number(minute ?? 0) < 60 &&
    Number(second ?? 0) < 60
  );
}

function float(text: string): ResolvedScalar {
  const value = Number(text);
  // Go's ParseFloat refuses what overflows; the scalar is then text.
  return Number.isFinite(value) ? { tag: "float", value: floatAsJson(value) } : { tag: "str", value: text };
}

/**
 * A float goes through JSON text, where a whole number below 1e21 has no exponent and is read back as an integer;
 * so 1e18 is an exact int64.
 */
function floatAsJson(value: number): JsonValue {
  if (Object.is(value, -0)) return 0;
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return value;
  const whole = BigInt(value);
  return whole <= maxInt64 && whole >= -maxInt64 - 1n ? whole : value;
}

/** Integers a double holds exactly are numbers; the rest of int64 is bigint; uint64 beyond int64 is a float, as JSON reads it. */
function narrow(value: bigint): JsonValue {
  if (value > maxInt64) return Number(value);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** strconv.ParseInt(text, 0, 64), then ParseUint; undefined when neither takes it. Underscores are gone already. */
function parseGoInteger(text: string): bigint | undefined {
  const match = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/.exec(text);
  if (match === null) return undefined;
  const digits = match[2] ?? "";
  // No uint64 has so many digits, and reading very many of them takes its time.
  if (/^[1-9]/.test(digits) && digits.length > 20) return undefined;
  const magnitude = /^0[0-7]/.test(digits) ? BigInt(`0o${digits.slice(1)}`) : BigInt(digits);
  if (match[1] === "-") return magnitude <= maxInt64 + 1n ? -magnitude : undefined;
  if (magnitude > maxUint64 || (match[1] === "+" && magnitude > maxInt64)) return undefined;
  return magnitude;
}
