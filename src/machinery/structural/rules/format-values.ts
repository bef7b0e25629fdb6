import { checkedDuration, parseDuration } from "../../cel/values/duration.js";
import { parseTimestamp } from "../../cel/values/timestamp.js";
import { ErrorValue, type Value } from "../../cel/values/value.js";

/** How texts of the formats that are no texts to rules are read; an error for what is not of the format. */
export const FORMAT_VALUES: ReadonlyMap<string, (text: string) => Value> = new Map([
  ["date", (text: string) => parseTimestamp(`${text}T00:00:00Z`) ?? invalid("date formatted string", text)],
  ["date-time", (text: string) => parseTimestamp(text) ?? invalid("date-time formatted string", text)],
  ["duration", durationOf],
  ["byte", bytesOf],
]);

const invalid = (what: string, text: string): ErrorValue => new ErrorValue(`Invalid ${what} ${text}`);

const SECOND = 1_000_000_000n;

/** Names of units, and what longer names begin with. */
const UNITS: readonly (readonly [nanoseconds: bigint, names: readonly string[], beginning: string])[] = [
  [1n, ["ns"], "nano"],
  [1_000n, ["us", "µs"], "micro"],
  [1_000_000n, ["ms"], "milli"],
  [SECOND, ["s"], "sec"],
  [60n * SECOND, ["m"], "min"],
  [3600n * SECOND, ["h", "hr"], "hour"],
  [86_400n * SECOND, ["d"], "day"],
  [604_800n * SECOND, ["w", "wk"], "week"],
];

/** As Go writes it ("1h30m"), or amounts of units ("2 days"). Source: kube-openapi's strfmt.ParseDuration. */
function durationOf(text: string): Value {
  const written = parseDuration(text);
  if (written !== undefined) return written;
  let nanoseconds: bigint | undefined;
  for (const [, amount = "", name = ""] of text.matchAll(/(?<![0-9])([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const unit = name.toLowerCase();
    const found = UNITS.find(([, names, beginning]) => names.includes(unit) || unit.startsWith(beginning));
    if (found !== undefined) nanoseconds = (nanoseconds ?? 0n) + BigInt(amount) * found[0];
  }
  return nanoseconds === undefined ? invalid("duration", text) : checkedDuration(nanoseconds);
}

function bytesOf(text: string): Value {
  const compact = text.replaceAll(/[\r\n]/g, "");
  const bytes = Buffer.from(compact, "base64");
  // Buffer passes over what is not base64.
  return bytes.toString("base64") === compact ? new Uint8Array(bytes) : invalid("byte formatted string", text);
}
