import { type FieldError, invalidValue, notSupported, required } from "../../../machinery/errors/field-error.js";
import { absent, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { fieldPath } from "../../../machinery/structural/field-path.js";
import { notStructural } from "./structural.js";

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const LINE_BREAK = /[\n\r]/;

/** x-kubernetes-validations but for what is in the expressions: see rule-expressions.ts. */
export function validateRules(schema: ReadonlyFields, path: string, errors: FieldError[]): void {
  for (const [index, rule] of objects(schema["x-kubernetes-validations"]).entries()) {
    validateRule(rule, schema, `${path}.x-kubernetes-validations[${index}]`, errors);
  }
}

function validateRule(rule: ReadonlyFields, schema: ReadonlyFields, path: string, errors: FieldError[]): void {
  const [expression, message] = [text(rule.rule).trim(), text(rule.message)];
  const [messageExpression, target] = [text(rule.messageExpression), text(rule.fieldPath)];
  const empty = "must be non-empty if specified";
  const broken = "must not contain line breaks";
  if (expression === "") errors.push(required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "") errors.push(invalidValue(`${path}.message`, message, empty));
  else if (LINE_BREAK.test(message.trim())) errors.push(invalidValue(`${path}.message`, message, broken));
  else if (LINE_BREAK.test(expression) && message === "") {
    errors.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (!absent(rule.reason) && !REASONS.includes(text(rule.reason))) {
    errors.push(notSupported(`${path}.reason`, text(rule.reason), REASONS));
  }
  if (target === "") return;
  if (target.trim() === "") errors.push(invalidValue(`${path}.fieldPath`, target, empty));
  if (LINE_BREAK.test(target)) errors.push(invalidValue(`${path}.fieldPath`, target, broken));
  if (notStructural(schema) === undefined && typeof fieldPath(target, schema) === "string") {
    errors.push(invalidValue(`${path}.fieldPath`, target, "must be a valid path"));
  }
}
