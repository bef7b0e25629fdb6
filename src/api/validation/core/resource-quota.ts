import { type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import {
  isStruct,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "../../types/core/v1.js";
import type { Quantity } from "../../types/meta/v1.js";
import { validateQuantity, validateResourceName } from "../resources.js";
import { IMMUTABLE } from "../rules.js";

export function validateResourceQuota(quota: ReceivedObject<ResourceQuota>): FieldError[] {
  return [...validateSpec(object(quota.spec)), ...validateResourceQuotaStatus(quota)];
}

/** Validates an update of a quota: its scopes may not change, its amounts may. */
export function validateResourceQuotaUpdate(
  quota: ReceivedObject<ResourceQuota>,
  old: ReceivedObject<ResourceQuota>,
): FieldError[] {
  const spec = object(quota.spec);
  const errors = validateSpec(spec);
  const [scopes, before] = [new Set(list(spec.scopes)), new Set(list(object(old.spec).scopes))];
  if (scopes.size === before.size && [...scopes].every((scope) => before.has(scope))) return errors;
  return [...errors, invalidValue("spec.scopes", spec.scopes ?? null, IMMUTABLE)];
}

export function validateResourceQuotaStatus(quota: ReceivedObject<ResourceQuota>): FieldError[] {
  const { hard, used } = object(quota.status);
  return [...validateAmounts(object(hard), "status.hard"), ...validateAmounts(object(used), "status.used")];
}

function validateSpec(spec: Received<ResourceQuotaSpec>): FieldError[] {
  const hard = object(spec.hard);
  return [...validateAmounts(hard, "spec.hard"), ...validateScopes(spec, hard), ...validateScopeSelector(spec, hard)];
}

function validateAmounts(amounts: Received<Record<string, Quantity>>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(amounts)) {
    const at = `${path}[${name}]`;
    validateResourceName(name, at, errors);
    if (!name.includes("/") && !isQuotaResource(name)) {
      errors.push(invalidValue(at, name, "must be a standard resource for quota"));
    }
    validateQuantity(name, amount, at, errors);
  }
  return errors;
}

const COMPUTE: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "limits.cpu",
  "limits.memory",
  "requests.cpu",
  "requests.memory",
]);

const QUOTA_RESOURCES: ReadonlySet<string> = new Set([
  ...COMPUTE,
  "ephemeral-storage",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "persistentvolumeclaims",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
]);

const isQuotaResource = (name: string): boolean =>
  QUOTA_RESOURCES.has(name) || name.startsWith("hugepages-") || name.startsWith("requests.hugepages-");

const POD_SCOPES: ReadonlySet<string> = new Set([
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "Terminating",
]);

const SCOPES: ReadonlySet<string> = new Set([...POD_SCOPES, "PriorityClass", "VolumeAttributesClass"]);

/** Whether a resource is one of pods in a scope. */
function isInScope(scope: string, name: string): boolean {
  switch (scope) {
    case "Terminating":
    case "NotTerminating":
    case "NotBestEffort":
    case "PriorityClass":
    case "CrossNamespacePodAffinity":
      return name === "pods" || COMPUTE.has(name);
    case "BestEffort":
      return name === "pods";
    case "VolumeAttributesClass":
      return name === "persistentvolumeclaims" || name === "requests.storage";
    default:
      return true;
  }
}

const strays = (scope: string, hard: Received<Record<string, Quantity>>): string[] =>
  Object.keys(hard)
    .filter((name) => isQuotaResource(name) && !isInScope(scope, name))
    .sort();

const EXCLUSIVE: readonly (readonly [string, string])[] = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

const CONFLICT = "conflicting scopes";
const STRAY = "unsupported scope applied to resource";

function validateScopes(spec: Received<ResourceQuotaSpec>, hard: Received<Record<string, Quantity>>): FieldError[] {
  const scopes: string[] = list(spec.scopes).map(text);
  const refuse = (detail: string) => invalidValue("spec.scopes", scopes, detail);
  return [
    ...scopes.flatMap((scope) => [
      ...(SCOPES.has(scope) ? [] : [refuse("unsupported scope")]),
      ...strays(scope, hard).map(() => refuse(STRAY)),
    ]),
    ...EXCLUSIVE.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() => refuse(CONFLICT)),
  ];
}

function validateScopeSelector(
  spec: Received<ResourceQuotaSpec>,
  hard: Received<Record<string, Quantity>>,
): FieldError[] {
  if (!isStruct(spec.scopeSelector)) return [];
  const path = "spec.scopeSelector.matchExpressions";
  const expressions = objects(spec.scopeSelector.matchExpressions);
  const names: string[] = expressions.map(({ scopeName }) => text(scopeName));
  const shown = { MatchExpressions: expressions.map(shownExpression) };
  const errors = expressions.flatMap((expression) => {
    const scope = text(expression.scopeName);
    return [
      ...(SCOPES.has(scope) ? [] : [invalidValue(`${path}.scopeName`, scope, "unsupported scope")]),
      ...strays(scope, hard).map(() => invalidValue(path, shown, STRAY)),
      ...validateOperator(expression, path),
    ];
  });
  const conflicts = EXCLUSIVE.filter((pair) => pair.every((scope) => names.includes(scope)));
  return [
    ...errors,
    ...conflicts.map(() => invalidValue("spec.scopeSelector.matchExpressions", spec.scopes ?? null, CONFLICT)),
  ];
}

/** Kubernetes shows its internal type. */
const shownExpression = (expression: Received<ScopedResourceSelectorRequirement>) => ({
  ScopeName: text(expression.scopeName),
  Operator: text(expression.operator),
  Values: expression.values ?? null,
});

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function validateOperator(expression: Received<ScopedResourceSelectorRequirement>, path: string): FieldError[] {
  const operator = text(expression.operator);
  const values = list(expression.values);
  const errors: FieldError[] = [];
  if (POD_SCOPES.has(text(expression.scopeName)) && operator !== "Exists") {
    errors.push(invalidValue(`${path}.operator`, operator, MUST_EXIST));
  }
  if (operator === "In" || operator === "NotIn") {
    if (values.length > 0) return errors;
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return [...errors, required(`${path}.values`, detail)];
  }
  if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length === 0) return errors;
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return [...errors, invalidValue(`${path}.values`, values, detail)];
  }
  return [...errors, invalidValue(`${path}.operator`, operator, "not a valid selector operator")];
}
