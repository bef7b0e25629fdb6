import { isFullyPrivileged, type LabelledPolicy, type Policy, policyOf } from "../../../api/pod-security/policy.js";
import { internalError } from "../../../machinery/errors/status-error.js";
import type { AdmissionAttributes } from "../attributes.js";
import {
  type PodSecurityConfiguration,
  type PodSecuritySettings,
  podSecuritySettings,
} from "../pod-security/settings.js";
import { WRITES, type AdmissionPlugin, type AdmissionObjects, type CachedObject } from "../plugin.js";
import { checkedPod, isSignificantUpdate, makesPods, templateOf, note, reviewPod } from "../pod-security/review-pod.js";
import { reviewNamespace } from "../pod-security/namespace-labels.js";
import { isPods } from "./pods.js";

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
  const policies = new NamespacePolicies(settings.defaults);
  const exemptsNone = usernames.size === 0 && namespaces.size === 0;
  return {
    name: "PodSecurity",
    handles(operation, { subresource, ...wanted }) {
      if (!WRITES.includes(operation)) return false;
      if (isPods(wanted)) return !IGNORED.has(subresource);
      const { group, resource } = wanted;
      return subresource === "" && (isNamespaces(group, resource) || makesPods(group, resource));
    },
    idle: ({ objects }, { group, resource }) =>
      exemptsNone && makesPods(group, resource) && policies.noneAudits(objects),
    validate(attributes, context) {
      const { group, resource } = attributes.resource;
      if (isNamespaces(group, resource)) return reviewNamespace(attributes, context, settings);
      const exemption = exemptionOf(attributes, settings);
      if (exemption !== undefined) return note(attributes, "exempt", exemption);
      const review = isPods(attributes.resource) ? reviewOfPod : reviewOfTemplate;
      const known = policies.known(context.objects, attributes.namespace);
      const { minor } = context.release;
      if (known !== undefined) return review(attributes, known, settings, minor);
      return policies
        .lookUp(context.objects, attributes.namespace)
        .then((found) => review(attributes, found, settings, minor));
    },
  };
}

const isNamespaces = (group: string, resource: string): boolean => group === "" && resource === "namespaces";

function exemptionOf({ namespace, user }: AdmissionAttributes, { exempt }: PodSecuritySettings): string | undefined {
  if (exempt.namespaces.has(namespace)) return "namespace";
  return exempt.usernames.has(user.name) ? "user" : undefined;
}

/** `found`: undefined for a namespace that is not there. */
type Review = (
  attributes: AdmissionAttributes,
  found: LabelledPolicy | undefined,
  settings: PodSecuritySettings,
  /** The minor version of the server, whose standards the latest are. */
  newest: number,
) => void;

const reviewOfPod: Review = (attributes, found, settings, newest) => {
  const { namespace, object: pod, oldObject } = attributes;
  if (found === undefined) {
    const error = internalError(`failed to lookup namespace "${namespace}"`);
    note(attributes, "error", `${error.message}: ${notFoundText(namespace)}`);
    throw error;
  }
  // As kube-apiserver notes it, whatever the versions are.
  if (isIdle(found)) return note(attributes, "enforce-policy", "privileged:latest");
  if (pod === undefined || (oldObject !== undefined && !isSignificantUpdate(pod, oldObject))) return;
  const checked = checkedPod(pod);
  if (isExemptClass(checked.spec.runtimeClassName, settings)) return note(attributes, "exempt", "runtimeClass");
  reviewPod(checked, found, attributes, true, newest);
};

const isIdle = ({ policy, errors }: LabelledPolicy): boolean => errors.length === 0 && isFullyPrivileged(policy);

/** What makes pods is never refused: its pods will be. */
const reviewOfTemplate: Review = (attributes, found, settings, newest) => {
  const { namespace, object: holder, resource } = attributes;
  if (found === undefined) {
    return note(attributes, "error", `failed to lookup namespace "${namespace}": ${notFoundText(namespace)}`);
  }
  if (!audits(found) || holder === undefined) return;
  const template = templateOf(resource.group, resource.resource, holder);
  if (isExemptClass(template.spec.runtimeClassName, settings)) return note(attributes, "exempt", "runtimeClass");
  reviewPod(template, found, attributes, false, newest);
};

const isExemptClass = (name: string | undefined, { exempt }: PodSecuritySettings): boolean =>
  name !== undefined && exempt.runtimeClasses.has(name);

const notFoundText = (namespace: string): string => `namespaces "${namespace}" not found`;

interface Entry {
  readonly name: string;
  readonly policy: LabelledPolicy;
}

/** The policies of the namespaces in the watch cache. The labels of each revision of a namespace are read once. */
class NamespacePolicies {
  #seen: readonly CachedObject[] | undefined;
  #byRevision = new Map<number, Entry>();
  #byName = new Map<string, LabelledPolicy>();
  #noneAudits = false;

  constructor(private readonly defaults: Policy) {}

  /** Undefined for a namespace that the watch cache does not have, and where there is no watch cache. */
  known(objects: AdmissionObjects, namespace: string): LabelledPolicy | undefined {
    return this.#isCurrent(objects) ? this.#byName.get(namespace) : undefined;
  }

  /** For a namespace that is not {@link known} here: it may be another server's, and new. */
  async lookUp({ cached, get }: AdmissionObjects, namespace: string): Promise<LabelledPolicy | undefined> {
    const wanted = ["", "namespaces", "", namespace] as const;
    const found = (await cached.get(...wanted)) ?? (await get(...wanted));
    return found && policyOf(found.metadata?.labels ?? {}, this.defaults);
  }

  /** True while no namespace audits pods or warns of them. False where there is no watch cache. */
  noneAudits(objects: AdmissionObjects): boolean {
    return this.#isCurrent(objects) && this.#noneAudits;
  }

  /** Every write of a pod, and of what makes pods, asks. */
  #isCurrent({ cached }: AdmissionObjects): boolean {
    const found = cached.now("", "namespaces");
    if (found === undefined) return false;
    if (found !== this.#seen) this.#read(found);
    return true;
  }

  #read(namespaces: readonly CachedObject[]): void {
    const before = this.#byRevision;
    this.#byRevision = new Map();
    this.#byName = new Map();
    this.#noneAudits = true;
    for (const namespace of namespaces) {
      const entry = before.get(namespace.revision) ?? this.#entryOf(namespace);
      this.#byRevision.set(namespace.revision, entry);
      this.#byName.set(entry.name, entry.policy);
      if (audits(entry.policy)) this.#noneAudits = false;
    }
    this.#seen = namespaces;
  }

  #entryOf(namespace: CachedObject): Entry {
    const { name = "", labels = {} } = namespace.object().metadata ?? {};
    return { name, policy: policyOf(labels, this.defaults) };
  }
}

/** Whether a policy has something to do with what makes pods. */
const audits = ({ policy, errors }: LabelledPolicy): boolean =>
  errors.length > 0 || policy.audit.level !== "privileged" || policy.warn.level !== "privileged";
