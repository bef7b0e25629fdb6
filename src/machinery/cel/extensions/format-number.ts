/** Formats a double with the fewest digits, without an exponent. */
export function plainDouble(value: number): string {
  const special = specialNumber(value);
  if (special !== undefined) return special;
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const point = Number(exponent) + 1;
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (point <= 0)
    return `${sign}0.${"0".repeat(-point)}${digits}`.replace(/^(-?)0\.0+$/, "$10").replace(/^(-?)0\.$/, "$10");
  if (point >= digits.length) return `${sign}${digits}${"0".repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function specialNumber(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? undefined : value > 0 ? "Infinity" : "-Infinity";
}

/** Formats as `%.2f` does: exactly, and halves to even by the binary value. */
export function fixedPoint(value: number, precision: number): string {
  const special = specialNumber(value);
  if (special !== undefined) return special;
  const negative = value < 0 || Object.is(value, -0);
  return `${negative ? "-" : ""}${exactFixed(Math.abs(value), precision)}`;
}

/** Digits of a double to a precision, without the limits of toFixed (1e21). */
function exactFixed(value: number, precision: number): string {
  if (value < 1e21) return roundHalfEven(value, precision);
  return `${BigInt(value)}${precision > 0 ? `.${"0".repeat(precision)}` : ""}`;
}

/** toFixed rounds exact halves up; Go to even. */
function roundHalfEven(value: number, precision: number): string {
  const text = value.toFixed(precision);
  const [scaled, unit] = [value * 10 ** precision, 10 ** precision];
  const isHalf = Number.isSafeInteger(scaled * 2) && !Number.isInteger(scaled) && scaled / unit === value;
  if (!isHalf || precision > 15) return text;
  const even = 2 * Math.round(scaled / 2);
  return (even / unit).toFixed(precision);
}

/** Formats as `%.2e` does, with an exponent of at least two digits. */
export function scientific(value: number, precision: number): string {
  const special = specialNumber(value);
  if (special !== undefined) return special;
  const [mantissa = "", exponent = "0"] = value.toExponential(precision).split("e");
  const power = Number(exponent);
  return `${Object.is(value, -0) ? "-" : ""}${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
