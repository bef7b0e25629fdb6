import { compareKeys } from "../../base/collections/key-order.js";
import { isFields, list, object, objects, type ReadonlyFields } from "../meta/access.js";
import type { KubeObject } from "../meta/object.js";
import { uncovered } from "./covers.js";
import { type PolicyRule, readRules } from "./policy-rule.js";
import { isProtected, type Reconciliation, reconciliation, withWantedMetadata } from "./reconciliation.js";

/**
 * What it takes for the role to allow all that `wanted` does, to have its labels and annotations, and with `removeExtra`
 * to allow nothing else. The rules of a cluster role that is gathered from others are none of its own.
 */
export function reconcileRole(live: KubeObject | undefined, wanted: KubeObject, removeExtra: boolean): Reconciliation {
  const wantedRules = readRules(wanted["rules"]);
  if (live === undefined) return reconciliation("create", wanted, { missingRules: wantedRules });
  const liveRules = readRules(live["rules"]);
  const missingRules = uncovered(liveRules, wantedRules);
  const areGathered = isFields(live["aggregationRule"]) && isFields(wanted["aggregationRule"]);
  const extraRules = areGathered ? [] : uncovered(wantedRules, liveRules);
  const labelled = withWantedMetadata(live, wanted);
  const rules = changedRules();
  const gathering = changedGathering(live["aggregationRule"], wanted["aggregationRule"], removeExtra);
  const changed = [labelled, rules, gathering].some((change) => change !== undefined);
  const role = { ...(labelled ?? live), ...(rules && { rules }), ...gathering };
  const differences = { isProtected: isProtected(live), missingRules, extraRules };
  return reconciliation(changed ? "update" : "none", role, differences);

  function changedRules(): readonly unknown[] | undefined {
    if (removeExtra) return missingRules.length + extraRules.length > 0 ? list(wanted["rules"]) : undefined;
    return missingRules.length > 0 ? [...list(live?.["rules"]), ...missingRules.map(asHeld)] : undefined;
  }
}

/** As an object holds it: without lists that are empty. */
const asHeld = (rule: PolicyRule): object =>
  Object.fromEntries(Object.entries(rule).filter(([, values]) => (values as readonly string[]).length > 0));

/** What becomes of the rule that gathers others' rules; undefined when it stays. */
function changedGathering(
  live: unknown,
  wanted: unknown,
  removeExtra: boolean,
): { readonly aggregationRule: unknown } | undefined {
  if (!isFields(wanted)) return isFields(live) ? { aggregationRule: undefined } : undefined;
  const missing = notAmong(selectorsOf(wanted), selectorsOf(live));
  const extra = notAmong(selectorsOf(live), selectorsOf(wanted));
  if (removeExtra) return missing.length + extra.length > 0 ? { aggregationRule: wanted } : undefined;
  if (missing.length === 0) return undefined;
  return { aggregationRule: { ...object(live), clusterRoleSelectors: [...selectorsOf(live), ...missing] } };
}

const selectorsOf = (rule: unknown): readonly ReadonlyFields[] => objects(object(rule)["clusterRoleSelectors"]);

function notAmong(selectors: readonly ReadonlyFields[], others: readonly ReadonlyFields[]): readonly ReadonlyFields[] {
  const known = new Set(others.map(selectorKey));
  return selectors.filter((selector) => !known.has(selectorKey(selector)));
}

/** Equal for equal selectors; an empty map or list is as good as none. */
function selectorKey({ matchLabels, matchExpressions }: ReadonlyFields): string {
  const labels = Object.entries(object(matchLabels)).sort(([a], [b]) => compareKeys(a, b));
  const expressions = objects(matchExpressions).map(({ key, operator, values }) => [key, operator, list(values)]);
  return JSON.stringify([labels, expressions]);
}
