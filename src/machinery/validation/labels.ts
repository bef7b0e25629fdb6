import { append } from "../../base/collections/append.js";
import { type FieldError, forbiddenField, invalidValue, required, tooLong } from "../errors/field-error.js";
import { labelValueErrors, qualifiedNameErrors } from "./names.js";

const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Wrong keys and values of a set of labels; each is reported at `path` itself, as Kubernetes does. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    append(errors, validateLabelName(key, path));
    for (const message of labelValueErrors(value)) errors.push(invalidValue(path, value, message));
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

/** metav1.LabelSelector as it is on the wire. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | null;
  readonly matchExpressions?: readonly LabelSelectorExpression[] | null;
}

export interface LabelSelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null;
}

export function validateLabelSelector(selector: LabelSelectorObject | undefined, path: string): FieldError[] {
  if (selector === undefined) return [];
  const expressions = selector.matchExpressions ?? [];
  return [
    ...validateLabels(selector.matchLabels ?? {}, `${path}.matchLabels`),
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
      labelValueErrors(value).map((message) => invalidValue(`${path}.values[${index}]`, value, message)),
    );
  }
  return errors;
}
