import type { Node, NodeSelectorTerm, Pod, PreferredSchedulingTerm } from "../../api/types/core/v1.js";
import { Action } from "../framework/cluster-event.js";
import { normalizeScores, type SchedulerPlugin } from "../framework/plugin.js";
import { SKIP, unresolvable } from "../framework/status.js";
import { PLUGIN } from "./names.js";
import { matchesTerm, type NodeRequirement, nodeRequirement } from "../../api/scheduling/node-selector.js";

export interface NodeAffinityArgs {
  /** What every pod of the profile requires beside its own affinity. */
  readonly addedAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
    };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
  };
}

const REJECTED = unresolvable(PLUGIN.nodeAffinity, "node(s) didn't match Pod's node affinity/selector");
const ENFORCED = unresolvable(PLUGIN.nodeAffinity, "node(s) didn't match scheduler-enforced node affinity");
const CONFLICT = unresolvable(PLUGIN.nodeAffinity, "pod affinity terms conflict");
const REQUIRED = `PreFilter${PLUGIN.nodeAffinity}`;
const PREFERRED = `PreScore${PLUGIN.nodeAffinity}`;

/** Rejects nodes that do not match the pod's nodeSelector or required affinity, and prefers those that match its preferred affinity. */
export function nodeAffinity({ addedAffinity = {} }: NodeAffinityArgs = {}): SchedulerPlugin {
  const enforced = addedAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const added = addedAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const fits = (node: Node, pod: Pod): boolean => {
    const view = { name: node.metadata?.name ?? "", labels: node.metadata?.labels ?? {} };
    if (enforced !== undefined && !enforced.some((term) => matchesTerm(term, view))) return false;
    return nodeRequirement(pod.spec)?.matches(view) ?? true;
  };
  return {
    name: PLUGIN.nodeAffinity,
    events: [
      {
        resource: "Node",
        action: Action.add | Action.nodeLabel,
        hint: (pod, before, after) => fits(after as Node, pod) && (before === undefined || !fits(before as Node, pod)),
      },
    ],
    preFilter(state, { pod }) {
      const requirement = nodeRequirement(pod.spec);
      if (requirement === undefined && enforced === undefined) return SKIP;
      state.write(REQUIRED, requirement);
      const nodeNames = requiredNodeNames(pod);
      if (nodeNames === undefined) return undefined;
      return nodeNames.size === 0 ? CONFLICT : { nodeNames };
    },
    filter(state, _info, node) {
      if (enforced !== undefined && !enforced.some((term) => matchesTerm(term, node))) return ENFORCED;
      return state.read<NodeRequirement>(REQUIRED)?.matches(node) === false ? REJECTED : undefined;
    },
    preScore(state, { pod }) {
      const own = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
      if (own.length + added.length === 0) return SKIP;
      state.write(PREFERRED, [...own, ...added]);
      return undefined;
    },
    score(state, _info, node) {
      let score = 0;
      for (const { weight, preference } of state.read<readonly PreferredSchedulingTerm[]>(PREFERRED) ?? []) {
        if (matchesTerm(preference, node)) score += weight;
      }
      return score;
    },
    normalize: (_state, _info, scores) => normalizeScores(scores, false),
  };
}

/**
 * The names of the nodes that required affinity names by `metadata.name`; undefined where a term names none, so that any node may fit. Empty
 * where no node can fit.
 */
function requiredNodeNames({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined || terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const named = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In");
    const [first, ...others] = named.map(({ values = [] }) => values);
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}
