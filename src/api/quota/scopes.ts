import type { Pod, PodAffinityTerm, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "../types/core/v1.js";
import type { ReadonlyFields } from "../../machinery/meta/access.js";
import { qosClass } from "../pods/qos-class.js";

/** What a quota is limited to, of `scopes` and `scopeSelector`. */
export function scopesOf({ scopes = [], scopeSelector }: ResourceQuotaSpec): ScopedResourceSelectorRequirement[] {
  const named = scopes.map((scopeName) => ({ scopeName, operator: "Exists" as const }));
  return [...named, ...(scopeSelector?.matchExpressions ?? [])];
}

export function podInScopes(pod: Pod, scopes: readonly ScopedResourceSelectorRequirement[]): boolean {
  return scopes.every((scope) => podInScope(pod, scope));
}

function podInScope({ spec }: Pod, { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): boolean {
  const limited = (spec?.activeDeadlineSeconds ?? -1) >= 0;
  const bestEffort = (): boolean => qosClass((spec ?? {}) as unknown as ReadonlyFields) === "BestEffort";
  const priority = spec?.priorityClassName ?? "";
  switch (scopeName) {
    case "Terminating":
      return limited;
    case "NotTerminating":
      return !limited;
    case "BestEffort":
      return bestEffort();
    case "NotBestEffort":
      return !bestEffort();
    case "PriorityClass":
      if (operator === "Exists") return priority !== "";
      if (operator === "DoesNotExist") return priority === "";
      return values.includes(priority) === (operator === "In");
    case "CrossNamespacePodAffinity":
      return affinityTerms(spec).some(({ namespaces = [], namespaceSelector }) => {
        return namespaces.length > 0 || namespaceSelector != null;
      });
    // Claims have it.
    case "VolumeAttributesClass":
      return false;
  }
}

function affinityTerms(spec: Pod["spec"]): PodAffinityTerm[] {
  return [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
