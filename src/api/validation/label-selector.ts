import { append } from "../../base/collections/append.js";
import { isFields } from "../../machinery/meta/access.js";
import { type LabelSelectorObject, validateLabelSelector } from "../../machinery/validation/labels.js";
import type { Errors } from "./collect.js";

const VALUE = /\.matchExpressions\[\d+\]\.values\[\d+\]$/;

/** A label selector wherever one stands; `anyValue` lets values be that are no label's, for objects that have one. */
export function validateSelector(selector: unknown, path: string, anyValue: boolean, errors: Errors): void {
  if (!isFields(selector)) return;
  const found = validateLabelSelector(selector as LabelSelectorObject, path);
  if (found.length > 0) append(errors, anyValue ? found.filter(({ field }) => !VALUE.test(field)) : found);
}

/** Whether an expression has a value that no label can have. */
export function hasInvalidValue(selector: unknown): boolean {
  if (!isFields(selector)) return false;
  return validateLabelSelector(selector as LabelSelectorObject, "").some(({ field }) => VALUE.test(field));
}
