import { child, children, ensureChild, type Fields, list, setDefault, text } from "../../machinery/meta/access.js";

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

/** Sets the defaults of RoleBindings and ClusterRoleBindings. */
export function defaultRoleBinding(binding: Fields): void {
  defaultRoleGroup(binding);
  for (const subject of children(binding, "subjects")) {
    if ((subject.kind === "User" || subject.kind === "Group") && text(subject.apiGroup) === "") subject.apiGroup = RBAC;
  }
}

/** Sets the API group of a binding's role, in every version. */
export function defaultRoleGroup(binding: Fields): void {
  const role = ensureChild(binding, "roleRef");
  if (text(role.apiGroup) === "") role.apiGroup = RBAC;
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

/** Sets the defaults of mutating and validating webhook configurations. */
export function defaultWebhooks(configuration: Fields): void {
  for (const webhook of children(configuration, "webhooks")) {
    setDefault(webhook, "failurePolicy", "Fail");
    defaultMatch(webhook);
    setDefault(webhook, "timeoutSeconds", 10);
    defaultRulesAndPort(webhook);
  }
}

/** Sets the defaults of a webhook's rules and of its service's port, in every version. */
export function defaultRulesAndPort(webhook: Fields): void {
  for (const rule of children(webhook, "rules")) setDefault(rule, "scope", "*");
  const service = child(child(webhook, "clientConfig") ?? {}, "service");
  if (service !== undefined) setDefault(service, "port", 443);
}

export function defaultMutatingWebhooks(configuration: Fields): void {
  defaultWebhooks(configuration);
  for (const webhook of children(configuration, "webhooks")) setDefault(webhook, "reinvocationPolicy", "Never");
}

/** Sets the defaults of mutating and validating admission policies. */
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

export function defaultApiService(apiService: Fields): void {
  const service = child(child(apiService, "spec") ?? {}, "service");
  if (service !== undefined) setDefault(service, "port", 443);
}

export function defaultCustomResourceDefinition(definition: Fields): void {
  const spec = ensureChild(definition, "spec");
  defaultNames(spec);
  setDefault(spec, "conversion", { strategy: "None" });
  const service = child(
    child(child(child(spec, "conversion") ?? {}, "webhook") ?? {}, "clientConfig") ?? {},
    "service",
  );
  if (service !== undefined) setDefault(service, "port", 443);
  defaultStoredVersions(definition);
}

/** Sets the defaults of `spec.names` in a definition of any version. */
export function defaultNames(spec: Fields): void {
  const names = ensureChild(spec, "names");
  const kind = text(names.kind);
  if (text(names.singular) === "" && kind !== "") names.singular = kind.toLowerCase();
  if (text(names.listKind) === "" && kind !== "") names.listKind = `${kind}List`;
}

/** Sets the stored versions of a definition without stored objects to its storage version. */
export function defaultStoredVersions(definition: Fields): void {
  const stored = children(child(definition, "spec") ?? {}, "versions").find(({ storage }) => storage === true);
  if (stored === undefined) return;
  const status = ensureChild(definition, "status");
  if (list(status.storedVersions).length === 0) status.storedVersions = [stored.name];
}

/** Sets the defaults of policy bindings in v1alpha1; later versions require the action. */
export function defaultAlphaPolicyBinding(binding: Fields): void {
  defaultAdmissionPolicyBinding(binding);
  const parameters = child(child(binding, "spec") ?? {}, "paramRef");
  if (parameters !== undefined) setDefault(parameters, "parameterNotFoundAction", "Deny");
}
