import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  list,
  number,
  object,
  objects,
  type Received,
  text,
} from "../../../machinery/meta/received.js";
import { qualifiedNameErrors } from "../../../machinery/validation/names.js";
import type { TopologySpreadConstraint } from "../../types/core/v1.js";
import { check, checkOneOf, type Errors } from "../collect.js";
import { checkSelector } from "../label-selector.js";
import { validateLabelKeys } from "./affinity.js";
import type { PodValidationOptions } from "./pod-options.js";

const ACTIONS = ["DoNotSchedule", "ScheduleAnyway"];

export function validateTopologySpread(
  constraints: readonly Received<TopologySpreadConstraint>[],
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const constraintOf = ({ topologyKey, whenUnsatisfiable }: Received<TopologySpreadConstraint>): string =>
    JSON.stringify([text(topologyKey), text(whenUnsatisfiable)]);
  const lastAt = new Map(constraints.map((constraint, index) => [constraintOf(constraint), index]));
  for (const [index, constraint] of constraints.entries()) {
    const at = `${path}[${index}]`;
    const [key, action] = [text(constraint.topologyKey), text(constraint.whenUnsatisfiable)];
    checkPositive(constraint.maxSkew ?? 0, `${at}.maxSkew`, errors);
    if (key === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${at}.whenUnsatisfiable`, action, ACTIONS));
    if (lastAt.get(constraintOf(constraint)) !== index)
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`));
    checkMinDomains(constraint, `${at}.minDomains`, errors);
    for (const field of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      checkOneOf(constraint[field], `${at}.${field}`, ["Honor", "Ignore"], errors);
    }
    if (options.keepInvalidLabelKeys) validateUnmergedLabelKeys(constraint, `${at}.matchLabelKeys`, errors);
    else validateLabelKeys({ ...constraint, mismatchLabelKeys: undefined }, at, errors);
    if (!options.allowInvalidSpreadSelector) {
      checkSelector(constraint.labelSelector, `${at}.labelSelector`, false, errors);
    }
  }
}

function checkMinDomains(constraint: Received<TopologySpreadConstraint>, path: string, errors: Errors): void {
  const { minDomains, whenUnsatisfiable } = constraint;
  if (absent(minDomains)) return;
  checkPositive(minDomains, path, errors);
  if (whenUnsatisfiable === "DoNotSchedule") return;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${text(whenUnsatisfiable)}`;
  errors.push(invalidValue(path, minDomains, detail));
}

function checkPositive(value: number | null | undefined, path: string, errors: Errors): void {
  if (number(value) <= 0) errors.push(invalidValue(path, value, "must be greater than zero"));
}

/** The older rule, for pods that were made before the server merged the keys into the selector. */
function validateUnmergedLabelKeys(constraint: Received<TopologySpreadConstraint>, path: string, errors: Errors): void {
  const keys = list(constraint.matchLabelKeys);
  if (keys.length === 0) return;
  const selector = object(constraint.labelSelector);
  const selected = new Set<unknown>([
    ...Object.keys(object(selector.matchLabels)),
    ...objects(selector.matchExpressions).map(({ key }) => key),
  ]);
  if (!isStruct(constraint.labelSelector)) {
    errors.push(forbiddenField(path, "must not be specified when labelSelector is not set"));
  }
  for (const [index, key] of keys.entries()) {
    check(text(key), `${path}[${index}]`, qualifiedNameErrors, errors);
    if (selected.has(key)) {
      errors.push(invalidValue(`${path}[${index}]`, key, "exists in both matchLabelKeys and labelSelector"));
    }
  }
}
