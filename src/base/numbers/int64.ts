/** Of "-9223372036854775808". */
const LONGEST = 20;

/**
 * Parses decimal digits with an optional sign; undefined for a number beyond int64. Very long digits are rejected unread: to parse a million
 * of them would take seconds.
 */
export function int64Of(digits: string): bigint | undefined {
  const [, sign = "", magnitude = ""] = /^([+-]?)0*([1-9]\d*)?$/.exec(digits) ?? [];
  if (magnitude.length >= LONGEST) return undefined;
  const value = BigInt(magnitude === "" ? 0 : `${sign === "-" ? "-" : ""}${magnitude}`);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
