import type { ClusterRole, PolicyRule } from "../../api/types/rbac/v1.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import type { LabelSelectorObject } from "../../machinery/validation/labels.js";

/** The rules of the roles that a role's selectors match, selector by selector and by the roles' names, each rule once. */
export function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): PolicyRule[] {
  const nameOf = ({ metadata }: ClusterRole): string => metadata?.name ?? "";
  const others = roles.filter((other) => nameOf(other) !== nameOf(role));
  others.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selected of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = selectorFromObject(selected as LabelSelectorObject);
    const matching = others.filter(({ metadata }) => selector.matches(metadata?.labels));
    for (const rule of matching.flatMap(({ rules: own }) => own ?? [])) {
      if (!rules.some((known) => same(known, rule))) rules.push(rule);
    }
  }
  return rules;
}

export function same(one: unknown, other: unknown): boolean {
  return deepEqual(one as JsonValue, other as JsonValue);
}
