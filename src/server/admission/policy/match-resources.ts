import { once } from "../../../base/async/once.js";
import { objects, type ReadonlyFields } from "../../../machinery/meta/access.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import type { LabelSelectorObject } from "../../../machinery/validation/labels.js";
import type { AdmissionAttributes, EquivalentResource } from "../attributes.js";
import { matchRules, type Rule, ruleOf } from "../matching/match-rules.js";
import { matchesNamespace, matchesObject, type MatchSelectors } from "../matching/match-selectors.js";
import type { AdmissionObjects } from "../plugin.js";

/** A policy's matchConstraints or a binding's matchResources. */
export interface MatchResources extends MatchSelectors {
  /** None: all requests. */
  readonly rules: readonly Rule[];
  readonly excluded: readonly Rule[];
  readonly matchesEquivalents: boolean;
}

export function matchResourcesOf(fields: ReadonlyFields): MatchResources {
  const selector = (name: string) => once(() => selectorFromObject(fields[name] as LabelSelectorObject | undefined));
  return {
    rules: objects(fields["resourceRules"]).map(ruleOf),
    excluded: objects(fields["excludeResourceRules"]).map(ruleOf),
    matchesEquivalents: fields["matchPolicy"] !== "Exact",
    namespaceSelector: selector("namespaceSelector"),
    objectSelector: selector("objectSelector"),
  };
}

/**
 * The resource and kind by which a request matches; undefined when it does not. A selector that cannot be asked counts only for
 * a request that everything else matches: then it rejects with a StatusError.
 */
export async function matchResources(
  wanted: MatchResources,
  attributes: AdmissionAttributes,
  objects: AdmissionObjects,
): Promise<EquivalentResource | undefined> {
  const { rules, excluded, matchesEquivalents } = wanted;
  if (matchRules(excluded, matchesEquivalents, attributes) !== undefined) return undefined;
  const { resource, kind } = attributes;
  const matched = rules.length === 0 ? { resource, kind } : matchRules(rules, matchesEquivalents, attributes);
  if (matched === undefined) return undefined;
  if (!matchesObject(wanted, attributes)) return undefined;
  return (await matchesNamespace(wanted, attributes, objects)) ? matched : undefined;
}
