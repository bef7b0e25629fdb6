/** strconv.FormatFloat(value, 'f', -1, 64): never an exponent. */
export function formatF(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0").slice(0, point)}${digits.length > point ? `.${digits.slice(point)}` : ""}`;
}
