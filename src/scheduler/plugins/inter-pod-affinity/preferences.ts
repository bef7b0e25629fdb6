import { own } from "../../../base/collections/own.js";
import type { AffinityTerm } from "../../cache/affinity-terms.js";
import type { PodInfo } from "../../cache/pod-info.js";
import type { NodeLister } from "../../cache/scheduler-cache.js";
import type { CountedTerms } from "./counted-terms.js";
import type { InterPodAffinityArgs } from "./inter-pod-affinity.js";
import { TopologyCounts } from "./term-counts.js";

/**
 * The sums of the weights of preferred terms, by topology: of the pod's own for the pods that they select, and of the others' for this pod.
 * Undefined where no term can matter.
 */
export function preferences(
  info: PodInfo,
  nodes: NodeLister,
  counted: CountedTerms,
  { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false }: InterPodAffinityArgs,
): TopologyCounts | undefined {
  const { preferredAffinity, preferredAntiAffinity } = info.affinity;
  const prefers = preferredAffinity.length + preferredAntiAffinity.length > 0;
  if (!prefers && ignorePreferredTermsOfExistingPods) return undefined;
  const sums = new TopologyCounts();
  for (const node of prefers ? nodes.list() : []) {
    const add = (term: AffinityTerm, weight: number): void =>
      sums.add(term.topologyKey, own(node.labels, term.topologyKey), weight * counted.of(term).on(node));
    for (const term of preferredAffinity) add(term, term.weight);
    for (const term of preferredAntiAffinity) add(term, -term.weight);
  }
  for (const { labels, affinities } of nodes.withAffinity()) {
    for (const [terms, count] of affinities) {
      const add = (term: AffinityTerm, weight: number): void => {
        if (counted.selects(term, info)) sums.add(term.topologyKey, own(labels, term.topologyKey), weight * count);
      };
      for (const term of terms.requiredAffinity) add(term, hardPodAffinityWeight);
      for (const term of terms.preferredAffinity) add(term, term.weight);
      for (const term of terms.preferredAntiAffinity) add(term, -term.weight);
    }
  }
  return sums;
}
