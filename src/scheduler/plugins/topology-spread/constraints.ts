import { own } from "../../../base/collections/own.js";
import type { Pod, TopologySpreadConstraint, UnsatisfiableConstraintAction } from "../../../api/types/core/v1.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import { type LabelSelector, noLabel } from "../../../machinery/selectors/label-selector.js";
import type { NodeInfo } from "../../cache/node-info.js";
import { type NodeRequirement, nodeRequirement } from "../../../api/scheduling/node-selector.js";
import { untolerated } from "../../../api/scheduling/taints.js";
import { Lru } from "../../../base/collections/lru.js";
import { countedPods, type PodCounts } from "../../cache/counted-pods.js";

/** A constraint, parsed. */
export interface Constraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  /** With fewer domains the least count is taken to be 0. */
  readonly minDomains: number;
  /** Only nodes that the pod's nodeSelector and affinity match count. */
  readonly honorsAffinity: boolean;
  /** Only nodes whose taints the pod tolerates count. */
  readonly honorsTaints: boolean;
}

export const HOSTNAME = "kubernetes.io/hostname";

/** kube-scheduler's default constraints, for pods of services and controllers that have none of their own. */
export const SYSTEM_DEFAULTS: readonly TopologySpreadConstraint[] = [
  { topologyKey: HOSTNAME, whenUnsatisfiable: "ScheduleAnyway", maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 5 },
];

/** Parses the constraints with that action; `selector` replaces the selector of each. */
export function parseConstraints(
  constraints: readonly TopologySpreadConstraint[],
  action: UnsatisfiableConstraintAction,
  selector?: LabelSelector,
): readonly Constraint[] {
  return constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
    .map((constraint) => ({
      maxSkew: constraint.maxSkew,
      topologyKey: constraint.topologyKey,
      selector: selector ?? selectorOf(constraint),
      minDomains: constraint.minDomains ?? 1,
      honorsAffinity: (constraint.nodeAffinityPolicy ?? "Honor") === "Honor",
      honorsTaints: constraint.nodeTaintsPolicy === "Honor",
    }));
}

export function hasAllKeys(node: NodeInfo, constraints: readonly Constraint[]): boolean {
  return constraints.every(({ topologyKey }) => own(node.labels, topologyKey) !== undefined);
}

/** Decides which nodes a pod's constraints include. */
export class Inclusion {
  readonly #requirement: NodeRequirement | undefined;

  constructor(private readonly pod: Pod) {
    this.#requirement = nodeRequirement(pod.spec);
  }

  counts({ honorsAffinity, honorsTaints }: Constraint, node: NodeInfo): boolean {
    if (honorsAffinity && this.#requirement?.matches(node) === false) return false;
    return !honorsTaints || untolerated(node.taints, this.pod.spec?.tolerations) === undefined;
  }
}

function selectorOf({ labelSelector }: TopologySpreadConstraint): LabelSelector {
  try {
    return selectorFromObject(labelSelector);
  } catch {
    return noLabel;
  }
}

/** How many pairs of namespace and selector are remembered: a Deployment has one. */
const MOST_SELECTORS = 512;
const NOTHING: PodCounts = { on: () => 0 };

/** Counts, by node, of the pods in a namespace that a selector matches and that do not terminate. */
export class MatchingPods {
  readonly #known = new Lru<string, PodCounts>(MOST_SELECTORS);

  of(namespace: string, selector: LabelSelector): PodCounts {
    // A selector that matches everything counts nothing, as in kube-scheduler.
    if (selector.empty || selector.requirements === undefined) return NOTHING;
    const key = `${namespace}\0${selector.toString()}`;
    let counts = this.#known.get(key);
    if (counts === undefined) {
      counts = countedPods(
        (info) => !info.isTerminating && info.namespace === namespace && selector.matches(info.labels),
      );
      this.#known.set(key, counts);
    }
    return counts;
  }
}
