import { isFullyPrivileged, type LabelledPolicy, policyOf } from "../../../api/pod-security/policy.js";
import { internalError } from "../../../machinery/errors/status-error.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { PodSecurityConfiguration } from "../configuration/pod-security-configuration.js";
import type { AdmissionContext, AdmissionPlugin } from "../plugin.js";
import { AuditedNamespaces } from "../pod-security/audited-namespaces.js";
import { checkedPod, isSignificantUpdate, makesPods, templateOf } from "../pod-security/checked-pods.js";
import { reviewNamespace } from "../pod-security/namespace-labels.js";
import { note, reviewPod } from "../pod-security/review-pod.js";
import { type PodSecuritySettings, podSecuritySettings } from "../pod-security/settings.js";

/** These change nothing that the standards look at. Any other subresource of pods is taken for a pod. */
const IGNORED: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

/**
 * Holds pods to the pod security standards that their namespace's labels name: refuses, audits and warns; of what makes pods it
 * audits and warns. Without labels and configuration it does nothing to any pod. Throws a PluginInitializationError for a
 * configuration that is not valid.
 */
export function podSecurity(configuration: PodSecurityConfiguration = {}): AdmissionPlugin {
  const settings = podSecuritySettings(configuration);
  const { usernames, namespaces } = settings.exempt;
  const audited = new AuditedNamespaces(settings.defaults);
  const mayIdle = usernames.size === 0 && namespaces.size === 0;
  return {
    name: "PodSecurity",
    handles(operation, { group, resource, subresource }) {
      if (operation !== "CREATE" && operation !== "UPDATE") return false;
      if (isPods(group, resource)) return !IGNORED.has(subresource);
      return subresource === "" && (isNamespaces(group, resource) || makesPods(group, resource));
    },
    idle: ({ objects }, { group, resource }) => mayIdle && makesPods(group, resource) && audited.areNone(objects),
    async validate(attributes, context) {
      const { group, resource } = attributes.resource;
      if (isNamespaces(group, resource)) return reviewNamespace(attributes, context, settings);
      const exemption = exemptionOf(attributes, settings);
      if (exemption !== undefined) return note(attributes, "exempt", exemption);
      if (isPods(group, resource)) return validatePod(attributes, context, settings);
      return validateTemplate(attributes, context, settings);
    },
  };
}

const isPods = (group: string, resource: string): boolean => group === "" && resource === "pods";
const isNamespaces = (group: string, resource: string): boolean => group === "" && resource === "namespaces";

function exemptionOf({ namespace, user }: AdmissionAttributes, { exempt }: PodSecuritySettings): string | undefined {
  if (exempt.namespaces.has(namespace)) return "namespace";
  return exempt.usernames.has(user.name) ? "user" : undefined;
}

async function validatePod(
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  settings: PodSecuritySettings,
): Promise<void> {
  const { namespace, object: pod, oldObject } = attributes;
  const found = await policyFor(namespace, context, settings);
  if (found === undefined) {
    const error = internalError(`failed to lookup namespace "${namespace}"`);
    note(attributes, "error", `${error.message}: ${notFoundText(namespace)}`);
    throw error;
  }
  const { policy, errors } = found;
  // As kube-apiserver notes it, whatever the versions are.
  if (errors.length === 0 && isFullyPrivileged(policy)) return note(attributes, "enforce-policy", "privileged:latest");
  if (pod === undefined || (oldObject !== undefined && !isSignificantUpdate(pod, oldObject))) return;
  const checked = checkedPod(pod);
  if (isExemptClass(checked.spec.runtimeClassName, settings)) return note(attributes, "exempt", "runtimeClass");
  reviewPod(checked, found, attributes, true);
}

/** What makes pods is never refused: its pods will be. */
async function validateTemplate(
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  settings: PodSecuritySettings,
): Promise<void> {
  const { namespace, object: holder, resource } = attributes;
  const found = await policyFor(namespace, context, settings);
  if (found === undefined) {
    const error = notFoundText(namespace);
    return note(attributes, "error", `failed to lookup namespace "${namespace}": ${error}`);
  }
  const { policy, errors } = found;
  if (errors.length === 0 && policy.warn.level === "privileged" && policy.audit.level === "privileged") return;
  if (holder === undefined) return;
  const template = templateOf(resource.group, resource.resource, holder);
  if (isExemptClass(template.spec.runtimeClassName, settings)) return note(attributes, "exempt", "runtimeClass");
  reviewPod(template, found, attributes, false);
}

const isExemptClass = (name: string | undefined, { exempt }: PodSecuritySettings): boolean =>
  name !== undefined && exempt.runtimeClasses.has(name);

/** Undefined for a namespace that is not there. */
async function policyFor(
  namespace: string,
  { objects }: AdmissionContext,
  { defaults }: PodSecuritySettings,
): Promise<LabelledPolicy | undefined> {
  const wanted = ["", "namespaces", "", namespace] as const;
  const found = (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
  return found && policyOf(found.metadata?.labels ?? {}, defaults);
}

const notFoundText = (namespace: string): string => `namespaces "${namespace}" not found`;
