/** Throws a RangeError that names a rate limiter's option and its value, unless the value is a finite number that keeps the rule. */
export function checkOption(option: string, value: number, rule: "above 0" | "0 or more"): void {
  if (Number.isFinite(value) && (rule === "above 0" ? value > 0 : value >= 0)) return;
  throw new RangeError(`${option} of a rate limiter is ${value}; give a number that is ${rule}`);
}
