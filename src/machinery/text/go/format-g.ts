/** strconv.FormatFloat(value, 'g', -1, 64) of a finite number: the fewest digits; an exponent below 1e-4 and from 1e+06 on. */
export function formatG(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
