import { int64Of } from "../../base/numbers/int64.js";
import { type FieldError, formatFieldErrors, invalidValue } from "../errors/field-error.js";
import { labelValueErrors, qualifiedNameErrors } from "../validation/names.js";

/** As apimachinery's selection.Operator spells them; "exists" and "!" take no values. */
export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** Thrown for a selector that cannot be parsed; the message is apimachinery's. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

/** An immutable conjunction of requirements, sorted by key. */
export interface LabelSelector {
  /** undefined for the selector that matches nothing. */
  readonly requirements: readonly LabelRequirement[] | undefined;
  /** Matches everything. */
  readonly empty: boolean;
  matches(labels: Labels | undefined): boolean;
  /** The selector as text; parses to itself. */
  toString(): string;
}

export function labelSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return {
    requirements: sorted,
    empty: sorted.length === 0,
    matches: (labels) => sorted.every((requirement) => matchesRequirement(requirement, labels)),
    toString: () => sorted.map(formatRequirement).join(","),
  };
}

export const everyLabel: LabelSelector = labelSelector([]);

export const noLabel: LabelSelector = {
  requirements: undefined,
  empty: false,
  matches: () => false,
  toString: () => "",
};

/** Makes the selector that requires every entry of a map; the values are not validated. */
export function selectorFromSet(labels: Labels): LabelSelector {
  return labelSelector(
    Object.entries(labels).map(([key, value]) => ({ key, operator: "=" as const, values: [value] })),
  );
}

/** Checks key, operator and number of values. `path` prefixes the fields in the message. */
export function labelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
  path = "",
): LabelRequirement {
  const errors = labelKeyErrors(key, child(path, "key"));
  const valuesPath = child(path, "values");
  const wrongCount = wrongNumberOfValues(operator, values.length);
  if (wrongCount !== undefined) errors.push(invalidValue(valuesPath, values, wrongCount));
  if (operator === "gt" || operator === "lt") {
    for (const [index, value] of values.entries()) {
      if (parseInt64(value) === undefined) {
        const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
        errors.push(invalidValue(`${valuesPath}[${index}]`, value, detail));
      }
    }
  }
  for (const [index, value] of values.entries()) {
    const messages = labelValueErrors(value);
    if (messages.length > 0) errors.push(invalidValue(`${valuesPath}[${index}][${key}]`, value, messages.join("; ")));
  }
  if (errors.length > 0) throw new SelectorError(formatFieldErrors(errors));
  return { key, operator, values };
}

export function labelKeyErrors(key: string, path: string): FieldError[] {
  const messages = qualifiedNameErrors(key);
  return messages.length === 0 ? [] : [invalidValue(path, key, messages.join("; "))];
}

/** Operators of metav1.LabelSelector and node selectors, as they are on the wire. */
export function operatorFromApi(operator: string): LabelOperator | undefined {
  return API_OPERATORS.get(operator);
}

const API_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function wrongNumberOfValues(operator: LabelOperator, count: number): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      return count > 0 ? undefined : "for 'in', 'notin' operators, values set can't be empty";
    case "=":
    case "==":
    case "!=":
      return count === 1 ? undefined : "exact-match compatibility requires one single value";
    case "exists":
    case "!":
      return count === 0 ? undefined : "values set must be empty for exists and does not exist";
    case "gt":
    case "lt":
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

function matchesRequirement({ key, operator, values }: LabelRequirement, labels: Labels | undefined): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt": {
      const [left, right] = [parseInt64(value), parseInt64(values[0])];
      if (left === undefined || right === undefined) return false;
      return operator === "gt" ? left > right : left < right;
    }
  }
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.toSorted().join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${list})`;
    case "gt":
      return `${key}>${list}`;
    case "lt":
      return `${key}<${list}`;
    case "=":
    case "==":
    case "!=":
      return `${key}${operator}${list}`;
  }
}

function parseInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  return int64Of(text);
}

function child(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
