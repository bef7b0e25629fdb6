import { append } from "../../base/append.js";
import { type FieldError, forbiddenField, invalidValue, required, tooLong } from "../errors/field-error.js";
import { object, objects, type OrAbsent, text } from "../meta/received.js";
import { labelValueErrors, qualifiedNameErrors } from "./names.js";

const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Wrong keys and values of a set of labels; each is reported at `path` itself, as Kubernetes does. */
export function validateLabels(
  labels: Readonly<Record<string, OrAbsent<string>>> | undefined,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    append(errors, validateLabelName(key, path));
    for (const message of labelValueErrors(text(value))) errors.push(invalidValue(path, value, message));
  }
  return errors;
}

export function validateLabelName(name: string, path: string): FieldError[] {
  return qualifiedNameErrors(name).map((message) => invalidValue(path, name, message));
}

/** Keys are qualified names whose case does not matter; all together may not exceed 256 KiB. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key]) =>
    qualifiedNameErrors(key.toLowerCase()).map((message) => invalidValue(path, key, message)),
  );
  if (areTooLong(annotations ?? {})) errors.push(tooLong(path, MAX_ANNOTATION_BYTES));
  return errors;
}

/** Whether annotations exceed what one object may hold. */
export function areTooLong(annotations: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(annotations);
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return size > MAX_ANNOTATION_BYTES;
}

/** metav1.LabelSelector as it came: any field may be absent or null, and so may any item of a list. */
export interface LabelSelectorObject {
  readonly matchLabels?: OrAbsent<Readonly<Record<string, OrAbsent<string>>>>;
  readonly matchExpressions?: OrAbsent<readonly OrAbsent<LabelSelectorExpression>[]>;
}

export interface LabelSelectorExpression {
  readonly key?: OrAbsent<string>;
  readonly operator?: OrAbsent<string>;
  readonly values?: OrAbsent<readonly OrAbsent<string>[]>;
}

export function validateLabelSelector(selector: LabelSelectorObject | undefined, path: string): FieldError[] {
  if (selector === undefined) return [];
  const expressions = objects(selector.matchExpressions);
  return [
    ...validateLabels(object(selector.matchLabels), `${path}.matchLabels`),
    ...expressions.flatMap((expression, index) => validateExpression(expression, `${path}.matchExpressions[${index}]`)),
  ];
}

/** One expression of a selector; `anyOperator` lets through operators that this server does not know. */
export function validateExpression(
  { key, operator, values }: LabelSelectorExpression,
  path: string,
  anyOperator = false,
): FieldError[] {
  const errors: FieldError[] = [];
  const list = values ?? [];
  if (operator === "In" || operator === "NotIn") {
    if (list.length === 0) {
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (list.length > 0) {
      errors.push(
        forbiddenField(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else if (!anyOperator) {
    errors.push(invalidValue(`${path}.operator`, operator, "not a valid selector operator"));
  }
  append(errors, validateLabelName(key ?? "", `${path}.key`));
  for (const [index, value] of list.entries()) {
    append(
      errors,
      labelValueErrors(text(value)).map((message) => invalidValue(`${path}.values[${index}]`, value, message)),
    );
  }
  return errors;
}
