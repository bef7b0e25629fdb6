import { append } from "../../base/collections/append.js";
import { type FieldError, invalidValue } from "../../machinery/errors/field-error.js";
import { absent, object, objects, type Received, type ReceivedObject } from "../../machinery/meta/received.js";
import { percentErrors } from "../../machinery/validation/names.js";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "../types/policy/v1.js";
import { validateConditions } from "./conditions.js";
import { named, nonNegative, oneOf } from "./rules.js";
import { type SelectorRules, selectorRulesFor, validateSelector } from "./label-selector.js";

export function validatePodDisruptionBudget(budget: ReceivedObject<PodDisruptionBudget>): FieldError[] {
  return validateSpec(object(budget.spec), {});
}

export function validatePodDisruptionBudgetUpdate(
  budget: ReceivedObject<PodDisruptionBudget>,
  old: ReceivedObject<PodDisruptionBudget>,
): FieldError[] {
  return validateSpec(object(budget.spec), selectorRulesFor([object(old.spec).selector]));
}

function validateSpec(spec: Received<PodDisruptionBudgetSpec>, rules: SelectorRules): FieldError[] {
  const { minAvailable, maxUnavailable } = spec;
  const errors: FieldError[] = [];
  if (!absent(minAvailable) && !absent(maxUnavailable)) {
    errors.push(invalidValue("spec", shownSpec(spec), "minAvailable and maxUnavailable cannot be both set"));
  }
  append(
    errors,
    validateShare(minAvailable, "spec.minAvailable"),
    validateShare(maxUnavailable, "spec.maxUnavailable"),
    validateSelector(spec.selector, "spec.selector", rules),
  );
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  return [...errors, ...oneOf(spec.unhealthyPodEvictionPolicy, "spec.unhealthyPodEvictionPolicy", policies)];
}

/** Kubernetes shows its internal type. */
const shownSpec = (spec: Received<PodDisruptionBudgetSpec>) => ({
  MinAvailable: spec.minAvailable ?? null,
  Selector: spec.selector ?? null,
  MaxUnavailable: spec.maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
});

/** A number of pods or a percentage of them, no more than all. */
function validateShare(value: unknown, path: string): FieldError[] {
  if (typeof value !== "string") return nonNegative(value, path);
  const errors = named(value, path, percentErrors);
  if (errors.length > 0 || Number(value.slice(0, -1)) <= 100) return errors;
  return [invalidValue(path, value, "must not be greater than 100%")];
}

export function validatePodDisruptionBudgetStatusUpdate(budget: ReceivedObject<PodDisruptionBudget>): FieldError[] {
  const status = object(budget.status);
  return [
    ...validateConditions(objects(status.conditions), "status.conditions"),
    ...(["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const).flatMap((field) =>
      nonNegative(status[field], `status.${field}`),
    ),
  ];
}
