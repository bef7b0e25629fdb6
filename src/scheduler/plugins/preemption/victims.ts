import { smallest } from "../../../base/collections/append.js";
import { own } from "../../../base/collections/own.js";
import type { PodDisruptionBudget } from "../../../api/types/policy/v1.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import { type LabelSelector, noLabel } from "../../../machinery/selectors/label-selector.js";
import type { PodInfo } from "../../cache/pod-info.js";

/** A node that the pod would fit without some of its pods. */
export interface Candidate {
  readonly node: string;
  /** The more important first; at least one. */
  readonly victims: readonly PodInfo[];
  /** How many of them a disruption budget would keep. */
  readonly violations: number;
}

/**
 * Compares pods by importance: negative when `a` has a higher priority, or the same and started earlier. Pods that have not
 * started count as started at `now`.
 */
export function byImportance(now: number): (a: PodInfo, b: PodInfo) => number {
  return (a, b) => b.priority - a.priority || startTime(a, now) - startTime(b, now);
}

/** Splits pods, in order, into those whose disruption their budgets do not allow any more, and the others. */
export function byBudget(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const allowances = budgets.map((budget) => ({
    namespace: budget.metadata?.namespace ?? "",
    selector: selectorOf(budget),
    disrupted: budget.status?.disruptedPods ?? {},
    left: budget.status?.disruptionsAllowed ?? 0,
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let isViolating = false;
    for (const allowance of allowances) {
      const { namespace, selector, disrupted } = allowance;
      if (namespace !== pod.namespace || selector.empty || !selector.matches(pod.labels)) continue;
      if (own(disrupted, pod.name) !== undefined) continue;
      if (--allowance.left < 0) isViolating = true;
    }
    (isViolating ? violating : others).push(pod);
  }
  return { violating, others };
}

/**
 * Chooses the candidate that costs least: fewest violated budgets; then the lowest priority of its most important victim; the
 * lowest sum of priorities; the fewest victims; the latest start of its most important victims; the first.
 */
export function cheapest(candidates: readonly Candidate[], now: number): Candidate | undefined {
  const costs: readonly ((candidate: Candidate) => number)[] = [
    ({ violations }) => violations,
    ({ victims }) => victims[0]?.priority ?? 0,
    // Priorities are made positive, so that more victims of negative priority do not cost less.
    ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    ({ victims }) => victims.length,
    ({ victims }) => -earliestStart(victims, now),
  ];
  let left = candidates;
  for (const cost of costs) {
    if (left.length <= 1) break;
    const least = smallest(left.map(cost));
    left = left.filter((candidate) => cost(candidate) === least);
  }
  return left[0];
}

function earliestStart(victims: readonly PodInfo[], now: number): number {
  const highest = victims[0]?.priority ?? 0;
  return smallest(victims.filter(({ priority }) => priority === highest).map((victim) => startTime(victim, now)));
}

function startTime({ pod }: PodInfo, now: number): number {
  const { startTime: started } = pod.status ?? {};
  return started === undefined ? now : Date.parse(started);
}

/** One that cannot be read matches nothing. */
function selectorOf({ spec }: PodDisruptionBudget): LabelSelector {
  try {
    return selectorFromObject(spec?.selector);
  } catch {
    return noLabel;
  }
}
