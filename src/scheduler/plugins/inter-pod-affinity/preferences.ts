import { type AffinityTerm, selects } from "../../cache/affinity-terms.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { PodInfo } from "../../cache/pod-info.js";
import type { NodeLister } from "../../cache/scheduler-cache.js";
import type { InterPodAffinityArgs } from "./inter-pod-affinity.js";
import { type NamespaceLabels, TopologyCounts } from "./term-counts.js";

/**
 * The sums of the weights of preferred terms, by topology: of the pod's own for the pods that they select, and of the others' for this pod.
 * Undefined where no term can matter.
 */
export function preferences(
  info: PodInfo,
  nodes: NodeLister,
  namespaceLabels: NamespaceLabels,
  { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false }: InterPodAffinityArgs,
): TopologyCounts | undefined {
  const { preferredAffinity, preferredAntiAffinity } = info.affinity;
  const prefers = preferredAffinity.length + preferredAntiAffinity.length > 0;
  if (!prefers && ignorePreferredTermsOfExistingPods) return undefined;
  const sums = new TopologyCounts();
  const add = (
    terms: readonly AffinityTerm[],
    of: PodInfo,
    { labels }: NodeInfo,
    factor: (term: AffinityTerm) => number,
  ) => {
    for (const term of terms) {
      const ofNamespace = term.namespaceSelector === undefined ? undefined : namespaceLabels(of.namespace);
      if (!selects(term, of.namespace, of.labels, ofNamespace)) continue;
      sums.add(term.topologyKey, labels[term.topologyKey], factor(term));
    }
  };
  for (const node of prefers ? nodes.list() : nodes.withAffinity()) {
    for (const other of (prefers ? node.pods : node.podsWithAffinity).values()) {
      add(preferredAffinity, other, node, ({ weight }) => weight);
      add(preferredAntiAffinity, other, node, ({ weight }) => -weight);
      if (!other.hasAffinity) continue;
      const { affinity } = other;
      add(affinity.requiredAffinity, info, node, () => hardPodAffinityWeight);
      add(affinity.preferredAffinity, info, node, ({ weight }) => weight);
      add(affinity.preferredAntiAffinity, info, node, ({ weight }) => -weight);
    }
  }
  return sums;
}
