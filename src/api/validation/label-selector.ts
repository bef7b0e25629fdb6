import { append } from "../../base/collections/append.js";
import { isStruct, type Received } from "../../machinery/meta/received.js";
import { validateLabelSelector } from "../../machinery/validation/labels.js";
import type { LabelSelector } from "../types/meta/v1.js";
import type { Errors } from "./collect.js";
import type { FieldError } from "../../machinery/errors/field-error.js";

const VALUE = /\.matchExpressions\[\d+\]\.values\[\d+\]$/;

/** A label selector wherever one stands; `anyValue` lets values be that are no label's, for objects that have one. */
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

/** The problems of a label selector; none where there is none. */
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
