import type {
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "../types/core/v1.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { qosClass } from "../pods/qos-class.js";

/** The requirements of a quota, from both `scopes` and `scopeSelector`. */
export function scopesOf({ scopes = [], scopeSelector }: ResourceQuotaSpec): ScopedResourceSelectorRequirement[] {
  const named = scopes.map((scopeName) => ({ scopeName, operator: "Exists" as const }));
  return [...named, ...(scopeSelector?.matchExpressions ?? [])];
}

/** Returns those of `scopes` that an object of a resource matches. Only pods and PersistentVolumeClaims match any. */
export function matchedScopes(
  resource: string,
  object: ApiObject,
  scopes: readonly ScopedResourceSelectorRequirement[],
): ScopedResourceSelectorRequirement[] {
  if (resource === "pods") return scopes.filter((scope) => podInScope(object as Pod, scope));
  if (resource === "persistentvolumeclaims") {
    return scopes.filter((scope) => claimInScope(object as PersistentVolumeClaim, scope));
  }
  return [];
}

/** Whether a quota with these scopes counts the object. */
export const isInScopes = (
  resource: string,
  object: ApiObject,
  scopes: readonly ScopedResourceSelectorRequirement[],
): boolean => scopes.length === 0 || matchedScopes(resource, object, scopes).length === scopes.length;

function podInScope(
  { spec, status }: Pod,
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
): boolean {
  const limited = (spec?.activeDeadlineSeconds ?? -1) >= 0;
  const bestEffort = (): boolean => (status?.qosClass ?? qosClass(spec ?? {})) === "BestEffort";
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
    // Of claims.
    case "VolumeAttributesClass":
      return false;
  }
}

/** A claim has several classes while it goes from one to another, and is in the scope by any of them. */
function claimInScope(
  { spec, status }: PersistentVolumeClaim,
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
): boolean {
  if (scopeName !== "VolumeAttributesClass") return false;
  const classes = [
    spec?.volumeAttributesClassName ?? "",
    status?.currentVolumeAttributesClassName ?? "",
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName ?? "",
  ].filter((name) => name !== "");
  if (operator === "Exists") return classes.length > 0;
  if (operator === "DoesNotExist") return classes.length === 0;
  if (classes.length === 0) return operator === "NotIn";
  return classes.some((name) => values.includes(name) === (operator === "In"));
}

function affinityTerms(spec: Pod["spec"]): PodAffinityTerm[] {
  return [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}
