import { append } from "../../base/collections/append.js";
import { isStruct, type Received } from "../../machinery/meta/received.js";
import { validateLabelSelector } from "../../machinery/validation/labels.js";
import type { LabelSelector } from "../types/meta/v1.js";
import type { Errors } from "./collect.js";
import type { FieldError } from "../../machinery/errors/field-error.js";

const VALUE = /\.matchExpressions\[\d+\]\.values\[\d+\]$/;

/** Checks a label selector. With `anyValue`, values that are not valid label values are accepted, because the stored object has one. */
export function checkSelector(
  selector: Received<LabelSelector> | null | undefined,
  path: string,
  anyValue: boolean,
  errors: Errors,
): void {
  if (!isStruct(selector)) return;
  const found = validateLabelSelector(selector, path);
  if (found.length > 0) append(errors, anyValue ? found.filter(({ field }) => !VALUE.test(field)) : found);
}

/** Whether an expression has a value that no label can have. */
export function hasInvalidValue(selector: Received<LabelSelector> | null | undefined): boolean {
  if (!isStruct(selector)) return false;
  return validateLabelSelector(selector, "").some(({ field }) => VALUE.test(field));
}

export interface SelectorRules {
  /** Values that no label can have are let through: the object had such a selector before the rule was made. */
  readonly allowInvalidValues?: boolean;
}

/** Validates a label selector. An absent selector has no errors. */
export function validateSelector(
  selector: Received<LabelSelector> | null | undefined,
  path: string,
  rules: SelectorRules = {},
): FieldError[] {
  const errors: FieldError[] = [];
  checkSelector(selector, path, rules.allowInvalidValues === true, errors);
  return errors;
}

/** The rules for an update of an object that had these selectors. */
export function selectorRulesFor(old: readonly (Received<LabelSelector> | null | undefined)[]): SelectorRules {
  return { allowInvalidValues: old.some(hasInvalidValue) };
}
