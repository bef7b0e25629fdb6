import { own } from "../../../base/collections/own.js";
import type { Node, Pod } from "../../../api/types/core/v1.js";
import { affinityTerms, selects, type AffinityTerm } from "../../cache/affinity-terms.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { PodInfo } from "../../cache/pod-info.js";
import { Action } from "../../framework/cluster-event.js";
import type { SchedulerHandle, SchedulerPlugin } from "../../framework/plugin.js";
import { SKIP, unresolvable, unschedulable } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { CountedTerms, type NamespaceLabels, TermCounts, TopologyCounts } from "./term-counts.js";
import type { NodeLister } from "../../cache/scheduler-cache.js";

export interface InterPodAffinityArgs {
  /** What a required affinity term of a pod that is there adds to the score for the pods that it selects. Default 1. */
  readonly hardPodAffinityWeight?: number;
  /** Preferred terms of pods that are there count only for pods that have some themselves. */
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

const NAME = PLUGIN.interPodAffinity;
const NO_AFFINITY = unresolvable(NAME, "node(s) didn't match pod affinity rules");
const ANTI_AFFINITY = unschedulable(NAME, "node(s) didn't match pod anti-affinity rules");
const EXISTING = unschedulable(NAME, "node(s) didn't satisfy existing pods anti-affinity rules");
const COUNTS = `PreFilter${NAME}`;
const SCORES = `PreScore${NAME}`;

/** Puts pods near the pods that their affinity selects, and away from those that their or the others' anti-affinity selects. */
export function interPodAffinity(
  { kinds, nodes: lister }: Pick<SchedulerHandle, "kinds" | "nodes">,
  args: InterPodAffinityArgs = {},
): SchedulerPlugin {
  const namespaceLabels: NamespaceLabels = (name) => kinds.cache("v1", "Namespace").get(name)?.metadata?.labels;
  const counted = new CountedTerms(namespaceLabels);
  return {
    name: NAME,
    events: [
      {
        resource: "Pod",
        action: Action.add | Action.delete | Action.podLabel,
        hint: (pod, before, after) =>
          concerns(pod, before as Pod | undefined, after as Pod | undefined, namespaceLabels),
      },
      {
        resource: "Node",
        action: Action.add | Action.nodeLabel,
        hint: (pod, _before, after) => hasKey(pod, after as Node),
      },
    ],
    prepare({ selectsNamespaces }) {
      if (!selectsNamespaces && !lister.namespacesAreSelected) return undefined;
      return kinds.follow([["v1", "Namespace"]]);
    },
    preFilter(state, info) {
      const counts = TermCounts.of(info, lister, counted);
      const { requiredAffinity, requiredAntiAffinity } = info.affinity;
      if (counts.existing.isEmpty && requiredAffinity.length + requiredAntiAffinity.length === 0) return SKIP;
      state.write(COUNTS, counts);
      return undefined;
    },
    addPod: (state, info, added, node) => state.read<TermCounts>(COUNTS)?.change(info, added, node, 1),
    removePod: (state, info, removed, node) => state.read<TermCounts>(COUNTS)?.change(info, removed, node, -1),
    filter(state, info, node) {
      const counts = state.read<TermCounts>(COUNTS) as TermCounts;
      if (!hasAffinity(counts, info, node)) return NO_AFFINITY;
      for (const { topologyKey } of info.affinity.requiredAntiAffinity) {
        const value = own(node.labels, topologyKey);
        if (value !== undefined && counts.antiAffinity.get(topologyKey, value) > 0) return ANTI_AFFINITY;
      }
      for (const count of counts.existing.of(node)) if (count > 0) return EXISTING;
      return undefined;
    },
    preScore(state, info) {
      const scores = preferences(info, lister, counted, args);
      if (scores === undefined || scores.isEmpty) return SKIP;
      state.write(SCORES, scores);
      return undefined;
    },
    score(state, _info, node) {
      let score = 0;
      for (const weight of state.read<TopologyCounts>(SCORES)?.of(node) ?? []) score += weight;
      return score;
    },
    normalize: (_state, _info, scores) => spreadBetweenLeastAndMost(scores),
  };
}

/** Whether each affinity term has a pod in the node's domain; the first pod of a group may go anywhere. */
function hasAffinity(counts: TermCounts, info: PodInfo, node: NodeInfo): boolean {
  let hasPods = true;
  for (const { topologyKey } of info.affinity.requiredAffinity) {
    const value = own(node.labels, topologyKey);
    if (value === undefined) return false;
    if (counts.affinity.get(topologyKey, value) <= 0) hasPods = false;
  }
  return hasPods || (counts.affinity.isEmpty && counts.selectsItself(info));
}

function spreadBetweenLeastAndMost(scores: number[]): void {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) {
    if (score < least) least = score;
    if (score > most) most = score;
  }
  const range = most - least;
  for (let index = 0; index < scores.length; index++) {
    scores[index] = range > 0 ? Math.trunc((100 * ((scores[index] ?? 0) - least)) / range) : 0;
  }
}

/** Whether a pod that came, went or changed its labels concerns the terms of a rejected pod, or the other way round. */
function concerns(
  pod: Pod,
  before: Pod | undefined,
  after: Pod | undefined,
  namespaceLabels: NamespaceLabels,
): boolean {
  const changed = (after ?? before) as Pod;
  if (changed.metadata?.uid === pod.metadata?.uid) return true;
  const isSelected = (terms: ReturnType<typeof affinityTerms>["requiredAffinity"], of: Pod | undefined): boolean => {
    const { namespace = "", labels = {} } = of?.metadata ?? {};
    return of !== undefined && terms.some((term) => selects(term, namespace, labels, namespaceLabels(namespace)));
  };
  const { requiredAffinity, requiredAntiAffinity } = affinityTerms(pod);
  if (isSelected(requiredAffinity, after)) return true;
  if (after === undefined) {
    return isSelected(requiredAntiAffinity, before) || isSelected(affinityTerms(changed).requiredAntiAffinity, pod);
  }
  return before !== undefined && isSelected(requiredAntiAffinity, before) && !isSelected(requiredAntiAffinity, after);
}

function hasKey(pod: Pod, node: Node): boolean {
  const { requiredAffinity } = affinityTerms(pod);
  return requiredAffinity.every(({ topologyKey }) => own(node.metadata?.labels, topologyKey) !== undefined);
}

/**
 * The sums of the weights of preferred terms, by topology: of the pod's own for the pods that they select, and of the others' for this pod.
 * Undefined where no term can matter.
 */
function preferences(
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
