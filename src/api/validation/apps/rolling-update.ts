import { invalidValue } from "../../../machinery/errors/field-error.js";
import { number } from "../../../machinery/meta/received.js";
import { percentErrors } from "../../../machinery/validation/names.js";
import type { IntOrString } from "../../types/meta/v1.js";
import { check, checkNonNegative, type Errors } from "../collect.js";

/** Checks a number of pods or a percentage: 1, "25%". */
export function checkIntOrPercent(value: IntOrString | null | undefined, path: string, errors: Errors): void {
  if (typeof value === "string") check(value, path, percentErrors, errors);
  else checkNonNegative(value, path, errors);
}

export function checkAtMostWhole(value: IntOrString | null | undefined, path: string, errors: Errors): void {
  if (isPercent(value) && intOrPercent(value) > 100) {
    errors.push(invalidValue(path, value, "must not be greater than 100%"));
  }
}

/** The number, of pods or of percents. */
export function intOrPercent(value: IntOrString | null | undefined): number {
  if (typeof value !== "string") return number(value);
  return /^[0-9]+%?$/.test(value) ? Number.parseInt(value, 10) : 0;
}

const isPercent = (value: IntOrString | null | undefined): value is string =>
  typeof value === "string" && /^[0-9]+%$/.test(value);
