import { type FieldError, invalidValue } from "../../machinery/errors/field-error.js";
import { formatQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import { quantity } from "./resources.js";

export function nonNegativeQuantity(value: unknown, path: string): FieldError[] {
  const parsed = quantity(value);
  if (parsed === undefined || parsed.unscaled >= 0n) return [];
  return [invalidValue(path, formatQuantity(parsed), "must be greater than or equal to 0")];
}

/** `detail` is Kubernetes' word for it in this kind. */
export function positiveQuantity(value: unknown, path: string, detail = "must be greater than zero"): FieldError[] {
  const parsed = quantity(value);
  if (parsed === undefined || parsed.unscaled > 0n) return [];
  return [invalidValue(path, formatQuantity(parsed), detail)];
}

/** What a volume can hold: nothing below zero, shown as the whole number it is rounded to. */
export function volumeCapacity(value: unknown, path: string): FieldError[] {
  const parsed = quantity(value);
  if (parsed === undefined || parsed.unscaled >= 0n) return [];
  return [invalidValue(path, Number(quantityValue(parsed)), "must be a valid resource quantity")];
}
