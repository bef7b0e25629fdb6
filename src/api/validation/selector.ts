import type { FieldError } from "../../machinery/errors/field-error.js";
import type { Received } from "../../machinery/meta/received.js";
import type { LabelSelector } from "../types/meta/v1.js";
import { hasInvalidValue, validateSelector as collect } from "./label-selector.js";

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
  collect(selector, path, rules.allowInvalidValues === true, errors);
  return errors;
}

/** The rules for an update of an object that had these selectors. */
export function selectorRulesFor(old: readonly (Received<LabelSelector> | null | undefined)[]): SelectorRules {
  return { allowInvalidValues: old.some(hasInvalidValue) };
}
