import type { Node } from "../../../../api/types/core/v1.js";
import { sameValue } from "../../../../api/validation/rules.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import { absent, object, type ReceivedObject } from "../../../../machinery/meta/received.js";
import { type NodeRequest, permitIf } from "./node-request.js";

/** Allows a node to change its own Node, except the fields that decide which pods are scheduled to it. */
export function checkNode(request: NodeRequest): void {
  const { attributes, node } = request;
  const { operation, name } = attributes;
  const made: ReceivedObject<Node> | undefined = attributes.object;
  const oldObject: ReceivedObject<Node> | undefined = attributes.oldObject;
  const named = `node ${goQuote(node)}`;
  permitIf(name === node, request, `${named} is not allowed to modify node ${goQuote(name)}`);
  const [spec, before] = [object(made?.spec), object(oldObject?.spec)];
  const source = spec.configSource;
  const labels = forbiddenLabels(made?.metadata?.labels, oldObject?.metadata?.labels).join(", ");
  if (operation === "CREATE") {
    // kube-apiserver says pods.
    permitIf(absent(source), request, `${named} is not allowed to create pods with a non-nil configSource`);
    permitIf(labels === "", request, `${named} is not allowed to set the following labels: ${labels}`);
  }
  if (operation === "UPDATE") {
    // Old kubelets drop the field when they report their status.
    const keepsSource = absent(source) || sameValue(source, before.configSource);
    permitIf(keepsSource, request, `${named} is not allowed to update configSource to a new non-nil configSource`);
    permitIf(sameValue(spec.taints, before.taints), request, `${named} is not allowed to modify taints`);
    const [owners, ownersBefore] = [made?.metadata?.ownerReferences, oldObject?.metadata?.ownerReferences];
    permitIf(sameValue(owners, ownersBefore), request, `${named} is not allowed to modify ownerReferences`);
    permitIf(labels === "", request, `is not allowed to modify labels: ${labels}`);
  }
}

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
function forbiddenLabels(labels: Labels = {}, before: Labels = {}): readonly string[] {
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
