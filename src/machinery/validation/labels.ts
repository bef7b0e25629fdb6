import { append } from "../../base/collections/append.js";
import { type FieldError, forbiddenField, invalidValue, required, tooLong } from "../errors/field-error.js";
import { list, object, objects, text } from "../meta/received.js";
import { labelValueErrors, qualifiedNameErrors } from "./names.js";

const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Labels or annotations as received: a null value counts as "". */
export type TextMap = Readonly<Record<string, string | null | undefined>>;

/** Validates the keys and values of labels; each error is reported at `path` itself, as Kubernetes does. */
export function validateLabels(labels: TextMap | null | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, held] of Object.entries(object(labels))) {
    const value = text(held);
    append(errors, validateLabelName(key, path));
    for (const message of labelValueErrors(value)) errors.push(invalidValue(path, value, message));
  }
  return errors;
}

export function validateLabelName(name: string, path: string): FieldError[] {
  return qualifiedNameErrors(name).map((message) => invalidValue(path, name, message));
}

/** Validates annotations: keys are qualified names, compared without case; all annotations together may have 256 KiB at most. */
export function validateAnnotations(annotations: TextMap | null | undefined, path: string): FieldError[] {
  const errors = Object.keys(object(annotations)).flatMap((key) =>
    qualifiedNameErrors(key.toLowerCase()).map((message) => invalidValue(path, key, message)),
  );
  if (areTooLong(object(annotations))) errors.push(tooLong(path, MAX_ANNOTATION_BYTES));
  return errors;
}

/** Whether annotations exceed the size limit of one object. */
export function areTooLong(annotations: TextMap): boolean {
  const entries = Object.entries(annotations);
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text(value)), 0);
  return size > MAX_ANNOTATION_BYTES;
}

/** metav1.LabelSelector as received: any field, and any element of a list, may be absent or null. */
export interface LabelSelectorObject {
  readonly matchLabels?: TextMap | null | undefined;
  readonly matchExpressions?: readonly (LabelSelectorExpression | null)[] | null | undefined;
}

export interface LabelSelectorExpression {
  readonly key?: string | null | undefined;
  readonly operator?: string | null | undefined;
  readonly values?: readonly (string | null)[] | null | undefined;
}

export function validateLabelSelector(selector: LabelSelectorObject | undefined, path: string): FieldError[] {
  if (selector === undefined) return [];
  return [
    ...validateLabels(selector.matchLabels, `${path}.matchLabels`),
    ...objects(selector.matchExpressions).flatMap((expression, index) =>
      validateExpression(expression, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

/** Validates one expression of a selector; `anyOperator` accepts operators that this server does not know. */
export function validateExpression(
  { key, operator, values: held }: LabelSelectorExpression,
  path: string,
  anyOperator = false,
): FieldError[] {
  const errors: FieldError[] = [];
  const values = list(held).map(text);
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      errors.push(
        forbiddenField(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else if (!anyOperator) {
    errors.push(invalidValue(`${path}.operator`, operator, "not a valid selector operator"));
  }
  append(errors, validateLabelName(text(key), `${path}.key`));
  for (const [index, value] of values.entries()) {
    append(
      errors,
      labelValueErrors(value).map((message) => invalidValue(`${path}.values[${index}]`, value, message)),
    );
  }
  return errors;
}
