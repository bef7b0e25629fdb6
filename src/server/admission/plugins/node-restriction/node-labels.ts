type Labels = Readonly<Record<string, string>>;

/** Labels under Kubernetes' domains that kubelets set of their own Node. */
const KUBELET_LABELS: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "node.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);
const KUBELET_DOMAINS = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const RESTRICTED_DOMAINS = ["node-restriction.kubernetes.io"];
const KUBERNETES_DOMAINS = ["kubernetes.io", "k8s.io"];

/** The labels that a node may not add, change or remove, of those that differ; in byte order. */
export function forbiddenLabels(labels: Labels = {}, before: Labels = {}): readonly string[] {
  const keys = [...new Set([...Object.keys(labels), ...Object.keys(before)])];
  return keys.filter((key) => labels[key] !== before[key] && isForbidden(key)).toSorted();
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  if (isWithin(domain, RESTRICTED_DOMAINS)) return true;
  return isWithin(domain, KUBERNETES_DOMAINS) && !KUBELET_LABELS.has(key) && !isWithin(domain, KUBELET_DOMAINS);
}

const isWithin = (domain: string, domains: readonly string[]): boolean =>
  domains.some((parent) => domain === parent || domain.endsWith(`.${parent}`));
