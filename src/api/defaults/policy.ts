import {
  absent,
  child,
  children,
  ensureChild,
  type Fields,
  list,
  setDefault,
  text,
} from "../../machinery/meta/access.js";

const RBAC = "rbac.authorization.k8s.io";

export function defaultNetworkPolicy(policy: Fields): void {
  const spec = ensureChild(policy, "spec");
  setDefault(spec, "podSelector", {});
  for (const rule of [...children(spec, "ingress"), ...children(spec, "egress")]) {
    for (const port of children(rule, "ports")) setDefault(port, "protocol", "TCP");
  }
  if (list(spec.policyTypes).length === 0) {
    spec.policyTypes = list(spec.egress).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  }
}

export function defaultIngressClass(ingressClass: Fields): void {
  const parameters = child(child(ingressClass, "spec") ?? {}, "parameters");
  if (parameters !== undefined) setDefault(parameters, "scope", "Cluster");
}

/** RoleBinding and ClusterRoleBinding. */
export function defaultRoleBinding(binding: Fields): void {
  const role = child(binding, "roleRef");
  if (role !== undefined && text(role.apiGroup) === "") role.apiGroup = RBAC;
  for (const subject of children(binding, "subjects")) {
    if ((subject.kind === "User" || subject.kind === "Group") && text(subject.apiGroup) === "") subject.apiGroup = RBAC;
  }
}

export function defaultPriorityClass(priority: Fields): void {
  setDefault(priority, "preemptionPolicy", "PreemptLowerPriority");
}

export function defaultStorageClass(storageClass: Fields): void {
  setDefault(storageClass, "reclaimPolicy", "Delete");
  setDefault(storageClass, "volumeBindingMode", "Immediate");
}

export function defaultCsiDriver(driver: Fields): void {
  const spec = ensureChild(driver, "spec");
  setDefault(spec, "attachRequired", true);
  setDefault(spec, "podInfoOnMount", false);
  setDefault(spec, "storageCapacity", false);
  setDefault(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  if (list(spec.volumeLifecycleModes).length === 0) spec.volumeLifecycleModes = ["Persistent"];
  setDefault(spec, "requiresRepublish", false);
  setDefault(spec, "seLinuxMount", false);
}

/** Mutating and validating webhook configurations. */
export function defaultWebhooks(configuration: Fields): void {
  for (const webhook of children(configuration, "webhooks")) {
    setDefault(webhook, "failurePolicy", "Fail");
    defaultMatch(webhook);
    setDefault(webhook, "timeoutSeconds", 10);
    for (const rule of children(webhook, "rules")) setDefault(rule, "scope", "*");
    const service = child(child(webhook, "clientConfig") ?? {}, "service");
    if (service !== undefined) setDefault(service, "port", 443);
  }
}

export function defaultMutatingWebhooks(configuration: Fields): void {
  defaultWebhooks(configuration);
  for (const webhook of children(configuration, "webhooks")) setDefault(webhook, "reinvocationPolicy", "Never");
}

/** Mutating and validating admission policies. */
export function defaultAdmissionPolicy(policy: Fields): void {
  const spec = ensureChild(policy, "spec");
  setDefault(spec, "failurePolicy", "Fail");
  defaultMatchResources(child(spec, "matchConstraints"));
}

export function defaultAdmissionPolicyBinding(binding: Fields): void {
  defaultMatchResources(child(child(binding, "spec") ?? {}, "matchResources"));
}

function defaultMatchResources(match: Fields | undefined): void {
  if (match === undefined) return;
  defaultMatch(match);
  for (const rule of [...children(match, "resourceRules"), ...children(match, "excludeResourceRules")]) {
    setDefault(rule, "scope", "*");
  }
}

function defaultMatch(match: Fields): void {
  setDefault(match, "matchPolicy", "Equivalent");
  setDefault(match, "namespaceSelector", {});
  setDefault(match, "objectSelector", {});
}

export function defaultFlowSchema(schema: Fields): void {
  setDefault(ensureChild(schema, "spec"), "matchingPrecedence", 1000);
}

export function defaultPriorityLevel(level: Fields): void {
  const spec = ensureChild(level, "spec");
  if (spec.type === "Exempt") {
    const exempt = ensureChild(spec, "exempt");
    setDefault(exempt, "nominalConcurrencyShares", 0);
    setDefault(exempt, "lendablePercent", 0);
  }
  const limited = child(spec, "limited");
  if (limited === undefined) return;
  setDefault(limited, "nominalConcurrencyShares", 30);
  setDefault(limited, "lendablePercent", 0);
  const queuing = child(child(limited, "limitResponse") ?? {}, "queuing");
  if (queuing === undefined) return;
  for (const [field, value] of QUEUING) {
    if (absent(queuing[field]) || queuing[field] === 0) queuing[field] = value;
  }
}

const QUEUING: readonly (readonly [string, number])[] = [
  ["queues", 64],
  ["handSize", 8],
  ["queueLengthLimit", 50],
];

export function defaultApiService(apiService: Fields): void {
  const service = child(child(apiService, "spec") ?? {}, "service");
  if (service !== undefined) setDefault(service, "port", 443);
}

export function defaultCustomResourceDefinition(definition: Fields): void {
  const spec = ensureChild(definition, "spec");
  const names = ensureChild(spec, "names");
  const kind = text(names.kind);
  if (text(names.singular) === "" && kind !== "") names.singular = kind.toLowerCase();
  if (text(names.listKind) === "" && kind !== "") names.listKind = `${kind}List`;
  const conversion = ensureChild(spec, "conversion");
  setDefault(conversion, "strategy", "None");
  const service = child(child(child(conversion, "webhook") ?? {}, "clientConfig") ?? {}, "service");
  if (service !== undefined) setDefault(service, "port", 443);
}
