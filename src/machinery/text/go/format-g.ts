/**
 * Formats a finite number as strconv.FormatFloat(value, 'g', -1, 64) does: with the fewest digits, and with an exponent below 1e-4
 * and from 1e+06 on.
 */
export function formatG(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
