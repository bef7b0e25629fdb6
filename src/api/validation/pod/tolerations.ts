import { forbiddenField, invalidValue, notSupported } from "../../../machinery/errors/field-error.js";
import { absent, type Received, text } from "../../../machinery/meta/received.js";
import { labelValueErrors, qualifiedNameErrors } from "../../../machinery/validation/names.js";
import type { Toleration } from "../../types/core/v1.js";
import { check, checkOneOf, type Errors } from "../collect.js";
import type { PodValidationOptions } from "./pod-options.js";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(
  tolerations: readonly Received<Toleration>[],
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  for (const [index, toleration] of tolerations.entries()) {
    const at = `${path}[${index}]`;
    const [key, operator] = [text(toleration.key), text(toleration.operator)];
    const effect = text(toleration.effect);
    if (key !== "") check(key, `${at}.key`, qualifiedNameErrors, errors);
    if (key === "" && operator !== "Exists") {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalidValue(`${at}.operator`, operator, detail));
    }
    if (!absent(toleration.tolerationSeconds) && effect !== "NoExecute") {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalidValue(`${at}.effect`, effect, detail));
    }
    checkOperator(operator, text(toleration.value), at, options, errors);
    if (effect !== "") checkOneOf(effect, `${at}.effect`, EFFECTS, errors);
  }
}

/** A wrong value is shown as the operator's, as upstream does. */
function checkOperator(
  operator: string,
  value: string,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  if (operator === "Equal" || operator === "") {
    const wrong = labelValueErrors(value);
    if (wrong.length > 0) errors.push(invalidValue(`${path}.operator`, value, wrong.join(";")));
  } else if (operator === "Exists") {
    if (value !== "") {
      errors.push(invalidValue(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    }
  } else if (operator !== "Lt" && operator !== "Gt") {
    errors.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists"]));
  } else if (!options.allowTolerationComparison) {
    errors.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists", "Lt", "Gt"]));
  }
}

/** Checks an update of tolerations: new ones may be added, and of the old ones only tolerationSeconds may change. */
export function validateAddedTolerations(
  tolerations: readonly Received<Toleration>[],
  old: readonly Received<Toleration>[],
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const there = new Set(tolerations.map(identityOf));
  const kept = old.every((before) => there.has(identityOf(before)));
  if (kept) validateTolerations(tolerations, path, options, errors);
  else errors.push(forbiddenField(path, "existing toleration can not be modified except its tolerationSeconds"));
}

/** Equal for tolerations that differ in nothing but tolerationSeconds. A field that is absent is an empty one. */
const identityOf = ({ key, operator, value, effect }: Received<Toleration>): string =>
  JSON.stringify([text(key), text(operator), text(value), text(effect)]);
