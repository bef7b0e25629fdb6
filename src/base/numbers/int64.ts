/** Of "-9223372036854775808". */
const LONGEST = 20;

/**
 * The integer that decimal digits with or without a sign say, when an int64 holds it; undefined when none does. Takes no
 * longer for more digits: what no int64 holds is not read, which would take seconds for a million of them.
 */
export function int64Of(digits: string): bigint | undefined {
  const [, sign = "", magnitude = ""] = /^([+-]?)0*([1-9]\d*)?$/.exec(digits) ?? [];
  if (magnitude.length >= LONGEST) return undefined;
  const value = BigInt(magnitude === "" ? 0 : `${sign === "-" ? "-" : ""}${magnitude}`);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
