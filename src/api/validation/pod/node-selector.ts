import { type FieldError, forbiddenField, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { list, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors, labelValueErrors, qualifiedNameErrors } from "../../../machinery/validation/names.js";
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "../../types/core/v1.js";
import { check, type Errors } from "../collect.js";

/** Validates a node selector. `anyValue` leaves label values unchecked. */
export function validateNodeSelector(selector: Received<NodeSelector>, path: string, anyValue: boolean): FieldError[] {
  const errors: Errors = [];
  const terms = objects(selector.nodeSelectorTerms);
  const at = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) errors.push(required(at, "must have at least one node selector term"));
  for (const [index, term] of terms.entries()) validateNodeSelectorTerm(term, anyValue, `${at}[${index}]`, errors);
  return errors;
}

/** Whether an expression contains a value that no label can have. */
export function hasInvalidNodeSelectorValues(selector: Received<NodeSelector> | null | undefined): boolean {
  return objects(object(selector).nodeSelectorTerms).some((term) =>
    objects(term.matchExpressions).some(({ values }) =>
      list(values).some((value) => labelValueErrors(text(value)).length > 0),
    ),
  );
}

export function validateNodeSelectorTerm(
  term: Received<NodeSelectorTerm>,
  anyValue: boolean,
  path: string,
  errors: Errors,
): void {
  for (const [index, expression] of objects(term.matchExpressions).entries()) {
    validateExpression(expression, anyValue, `${path}.matchExpressions[${index}]`, errors);
  }
  for (const [index, field] of objects(term.matchFields).entries()) {
    validateFieldRequirement(field, `${path}.matchFields[${index}]`, errors);
  }
}

function validateExpression(
  expression: Received<NodeSelectorRequirement>,
  anyValue: boolean,
  path: string,
  errors: Errors,
): void {
  const operator = text(expression.operator);
  const values = list(expression.values);
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      errors.push(forbiddenField(`${path}.values`, detail));
    }
  } else if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) {
      errors.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
    }
  } else errors.push(invalidValue(`${path}.operator`, operator, "not a valid selector operator"));
  check(text(expression.key), `${path}.key`, qualifiedNameErrors, errors);
  if (anyValue) return;
  for (const [index, value] of values.entries()) {
    check(text(value), `${path}.values[${index}]`, labelValueErrors, errors);
  }
}

/** Only a node's name can be asked for, one at a time. */
function validateFieldRequirement(requirement: Received<NodeSelectorRequirement>, path: string, errors: Errors): void {
  const [operator, key] = [text(requirement.operator), text(requirement.key)];
  const values = list(requirement.values);
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(invalidValue(`${path}.operator`, operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${path}.values`, detail));
  }
  if (key !== "metadata.name") {
    errors.push(invalidValue(`${path}.key`, key, "not a valid field selector key"));
    return;
  }
  for (const [index, value] of values.entries()) {
    check(text(value), `${path}.values[${index}]`, dns1123SubdomainErrors, errors);
  }
}

const DEPRECATED_LABELS: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ["failure-domain.beta.kubernetes.io/region", 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ["failure-domain.beta.kubernetes.io/zone", 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ["beta.kubernetes.io/instance-type", 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ["app.kubernetes.io/created-by", "deprecated since v1.9"],
  ["scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"],
  ["node-role.kubernetes.io/master", 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** Returns the warning about a deprecated node label; undefined for any other label. */
export const deprecatedNodeLabel = (key: string): string | undefined => DEPRECATED_LABELS.get(key);

/** Returns the warnings about the node label `key`, which the field at `path` uses. */
export function nodeLabelWarnings(key: string, path: string): string[] {
  const message = deprecatedNodeLabel(key);
  return message === undefined ? [] : [`${path}: ${message}`];
}

/** Returns the warnings about deprecated labels; with `checkValues` also about values that no label can have. */
export function nodeTermWarnings(term: Received<NodeSelectorTerm>, path: string, checkValues: boolean): string[] {
  return objects(term.matchExpressions).flatMap(({ key, values }, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    const wrong = checkValues
      ? list(values).flatMap((value, place) =>
          labelValueErrors(text(value)).map(
            (message) => `${at}.values[${place}]: ${text(value)} is invalid, ${message}`,
          ),
        )
      : [];
    const message = deprecatedNodeLabel(text(key));
    return message === undefined ? wrong : [`${at}.key: ${text(key)} is ${message}`, ...wrong];
  });
}

export function nodeSelectorWarnings(selector: Received<NodeSelector> | null | undefined, path: string): string[] {
  return objects(object(selector).nodeSelectorTerms).flatMap((term, index) =>
    nodeTermWarnings(term, `${path}.nodeSelectorTerms[${index}]`, false),
  );
}
