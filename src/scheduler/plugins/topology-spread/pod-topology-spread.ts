import { own } from "../../../base/collections/own.js";
import type { Node, Pod, TopologySpreadConstraint, UnsatisfiableConstraintAction } from "../../../api/types/core/v1.js";
import type { PodInfo } from "../../cache/pod-info.js";
import { Action } from "../../framework/cluster-event.js";
import type { SchedulerHandle, SchedulerPlugin } from "../../framework/plugin.js";
import { SKIP, unresolvable, unschedulable } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { type Constraint, Inclusion, parseConstraints, SYSTEM_DEFAULTS, MatchingPods } from "./constraints.js";
import { defaultSelector, followGroups } from "./default-selector.js";
import { SpreadCounts } from "./skew.js";
import { normalizeSpread, SpreadScores } from "./spread-scores.js";

export interface PodTopologySpreadArgs {
  /** "System", the default: kube-scheduler's own default constraints. "List": `defaultConstraints`. */
  readonly defaultingType?: "System" | "List";
  readonly defaultConstraints?: readonly TopologySpreadConstraint[];
}

const NAME = PLUGIN.podTopologySpread;
const REASON = "node(s) didn't match pod topology spread constraints";
const TOO_MANY = unschedulable(NAME, REASON);
const NO_LABEL = unresolvable(NAME, `${REASON} (missing required label)`);
const COUNTS = `PreFilter${NAME}`;
const SCORES = `PreScore${NAME}`;

/** Spreads pods that belong together over hosts, zones or other domains. */
export function podTopologySpread(
  { kinds, nodes: lister }: Pick<SchedulerHandle, "kinds" | "nodes">,
  { defaultingType = "System", defaultConstraints = [] }: PodTopologySpreadArgs = {},
): SchedulerPlugin {
  const isSystem = defaultingType === "System";
  const defaults = isSystem ? SYSTEM_DEFAULTS : defaultConstraints;
  const matching = new MatchingPods();
  const constraintsOf = (info: PodInfo, action: UnsatisfiableConstraintAction): readonly Constraint[] => {
    const own = info.pod.spec?.topologySpreadConstraints ?? [];
    if (own.length > 0) return parseConstraints(own, action);
    if (!defaults.some(({ whenUnsatisfiable }) => whenUnsatisfiable === action)) return [];
    const selector = defaultSelector(info, kinds);
    return selector.empty ? [] : parseConstraints(defaults, action, selector);
  };
  return {
    name: NAME,
    events: [
      {
        resource: "Pod",
        action: Action.add | Action.delete | Action.podLabel,
        hint: (pod, before, after) => concerns(pod, (after ?? before) as Pod),
      },
      {
        resource: "Node",
        action: Action.add | Action.delete | Action.nodeLabel | Action.nodeTaint,
        hint: (pod, before, after) =>
          hasKeys(pod, before as Node | undefined) || hasKeys(pod, after as Node | undefined),
      },
    ],
    prepare(info) {
      const own = info.pod.spec?.topologySpreadConstraints ?? [];
      return own.length > 0 || defaults.length === 0 ? undefined : followGroups(info, kinds);
    },
    preFilter(state, info, nodes) {
      const constraints = constraintsOf(info, "DoNotSchedule");
      if (constraints.length === 0) return SKIP;
      state.write(COUNTS, SpreadCounts.of(constraints, new Inclusion(info.pod), info, nodes, matching));
      return undefined;
    },
    addPod: (state, info, added, node) => state.read<SpreadCounts>(COUNTS)?.change(info, added, node, 1),
    removePod: (state, info, removed, node) => state.read<SpreadCounts>(COUNTS)?.change(info, removed, node, -1),
    filter(state, info, node) {
      const counts = state.read<SpreadCounts>(COUNTS) as SpreadCounts;
      const { constraints } = counts;
      for (let index = 0; index < constraints.length; index++) {
        const skew = counts.skew(index, info, node);
        if (skew === undefined) return NO_LABEL;
        if (skew > (constraints[index]?.maxSkew ?? 0)) return TOO_MANY;
      }
      return undefined;
    },
    preScore(state, info, feasible) {
      const constraints = constraintsOf(info, "ScheduleAnyway");
      if (constraints.length === 0) return SKIP;
      const needsAllKeys = (info.pod.spec?.topologySpreadConstraints ?? []).length > 0 || !isSystem;
      state.write(SCORES, SpreadScores.of(constraints, info, feasible, lister.list(), { needsAllKeys, matching }));
      return undefined;
    },
    score: (state, _info, node) => state.read<SpreadScores>(SCORES)?.score(node) ?? 0,
    normalize(state, _info, scores, nodes) {
      const spread = state.read<SpreadScores>(SCORES);
      normalizeSpread(scores, (index) => spread?.ignores(nodes[index]?.name ?? "") ?? false);
    },
  };
}

function concerns(pod: Pod, changed: Pod): boolean {
  if (changed.metadata?.namespace !== pod.metadata?.namespace) return false;
  if (changed.metadata?.uid === pod.metadata?.uid) return true;
  const own = pod.spec?.topologySpreadConstraints ?? [];
  if (own.length === 0) return true;
  const labels = changed.metadata?.labels ?? {};
  return parseConstraints(own, "DoNotSchedule").some(({ selector }) => selector.matches(labels));
}

function hasKeys(pod: Pod, node: Node | undefined): boolean {
  if (node === undefined) return false;
  const constraints = pod.spec?.topologySpreadConstraints ?? [];
  return constraints.every(({ topologyKey }) => own(node.metadata?.labels, topologyKey) !== undefined);
}
