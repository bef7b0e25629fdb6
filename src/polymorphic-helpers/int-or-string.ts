/** intstr.Parse: a number where the text is one that fits 32 bits, else the text. */
export function parseIntOrString(text: string): number | string {
  return parseInt32(text) ?? text;
}

/** strconv.ParseInt with base 10 and 32 bits; undefined where that fails. */
export function parseInt32(text: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) && (value | 0) === value ? value + 0 : undefined;
}
