import { type FieldError, forbiddenField, invalidValue } from "../../machinery/errors/field-error.js";
import { number, type ReceivedObject } from "../../machinery/meta/received.js";
import type { PriorityClass } from "../types/scheduling/v1.js";
import { IMMUTABLE, oneOf, sameValue } from "./rules.js";

const MAX_USER_PRIORITY = 1_000_000_000;
const RESERVED = "priority class names with 'system-' prefix are reserved for system use only. error: ";

const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

export function validatePriorityClass(priority: ReceivedObject<PriorityClass>): FieldError[] {
  const name = priority.metadata?.name ?? "";
  const value = number(priority.value);
  const errors: FieldError[] = [];
  if (name.startsWith("system-")) {
    const problem = systemProblem(name, value, priority.globalDefault === true);
    if (problem !== undefined) errors.push(forbiddenField("metadata.name", RESERVED + problem));
  } else if (value > MAX_USER_PRIORITY) {
    errors.push(forbiddenField("value", `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`));
  }
  return [...errors, ...oneOf(priority.preemptionPolicy, "preemptionPolicy", ["Never", "PreemptLowerPriority"])];
}

function systemProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const expected = Object.hasOwn(SYSTEM_CLASSES, name) ? SYSTEM_CLASSES[name] : undefined;
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export function validatePriorityClassUpdate(
  priority: ReceivedObject<PriorityClass>,
  old: ReceivedObject<PriorityClass>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (number(priority.value) !== number(old.value)) {
    errors.push(forbiddenField("value", "may not be changed in an update."));
  }
  if (!sameValue(priority.preemptionPolicy, old.preemptionPolicy)) {
    errors.push(invalidValue("preemptionPolicy", priority.preemptionPolicy ?? null, IMMUTABLE));
  }
  return errors;
}
