import type { VersionTable } from "../version-table.js";
import { isFields, list, object, type ReadonlyFields } from "../../../machinery/meta/access.js";
import type { Conversion } from "../../../machinery/scheme/scheme.js";
import { withChild } from "../copies.js";

/**
 * An empty selector selects nothing in policy/v1beta1 and everything in policy/v1. What the other version cannot say as
 * an empty one is said by a label that no pod has.
 */
const NEVER_SET = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

const SELECTS_NOTHING = { matchExpressions: [{ key: NEVER_SET, operator: "Exists" }] };
const SELECTS_EVERYTHING = { matchExpressions: [{ key: NEVER_SET, operator: "DoesNotExist" }] };

const podDisruptionBudgetV1beta1: Conversion = {
  toHub: (budget) =>
    withSelector(budget, (selector) => {
      if (isEmpty(selector)) return SELECTS_NOTHING;
      return isOnly(selector, "DoesNotExist") ? {} : withoutLabel(selector);
    }),
  fromHub: (budget) =>
    withSelector(budget, (selector) => {
      if (isOnly(selector, "Exists")) return {};
      const stated = withoutLabel(selector);
      return isEmpty(stated) ? SELECTS_EVERYTHING : stated;
    }),
};

function withSelector<T extends ReadonlyFields>(budget: T, change: (selector: ReadonlyFields) => ReadonlyFields): T {
  return withChild(budget, "spec", (spec) => withChild(spec, "selector", change));
}

function isEmpty({ matchLabels, matchExpressions }: ReadonlyFields): boolean {
  return Object.keys(object(matchLabels)).length === 0 && list(matchExpressions).length === 0;
}

/** Whether the label with this operator is all the selector asks for. */
function isOnly(selector: ReadonlyFields, operator: string): boolean {
  const [only, ...others] = list(selector.matchExpressions);
  const { key, operator: stated, values } = object(only);
  return (
    isEmpty({ matchLabels: selector.matchLabels }) &&
    others.length === 0 &&
    key === NEVER_SET &&
    stated === operator &&
    list(values).length === 0
  );
}

/** Any other use of the label is dropped. */
function withoutLabel(selector: ReadonlyFields): ReadonlyFields {
  const expressions = list(selector.matchExpressions);
  const kept = expressions.filter((expression) => !isFields(expression) || expression.key !== NEVER_SET);
  if (kept.length === expressions.length) return selector;
  const { matchExpressions: _, ...rest } = selector;
  return kept.length === 0 ? rest : { ...rest, matchExpressions: kept };
}

/** Converts policy/v1beta1. An Eviction has the same fields in both versions. */
export const POLICY: VersionTable = {
  "policy/v1beta1/PodDisruptionBudget": { conversion: podDisruptionBudgetV1beta1 },
};
