import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { Pod, PodCondition } from "../../../api/types/core/v1.js";
import type { PodDisruptionBudget } from "../../../api/types/policy/v1.js";
import { randomBelow } from "../../../base/numbers/random-below.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { PodInfo } from "../../cache/pod-info.js";
import { Action } from "../../framework/cluster-event.js";
import type { CycleState } from "../../framework/cycle-state.js";
import { fitMessage } from "../../framework/diagnosis.js";
import type { SchedulerHandle, NodeStatuses, PostFilterResult, SchedulerPlugin } from "../../framework/plugin.js";
import { type Status, unresolvable, unschedulable } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { byBudget, byImportance, type Candidate, cheapest } from "./victims.js";
import { isConflict, isNotFound } from "../../../machinery/errors/status-error.js";
import { formatTime } from "../../../machinery/meta/time.js";
import { DEFAULT_SCHEDULER } from "../../options.js";

export interface DefaultPreemptionArgs {
  /** Of how many of the nodes where it might help preemption looks for victims. Default 10 percent. */
  readonly minCandidateNodesPercentage?: number;
  /** But of at least so many. Default 100. */
  readonly minCandidateNodesAbsolute?: number;
}

const NAME = PLUGIN.defaultPreemption;
const NOT_HELPFUL = unresolvable("", "Preemption is not helpful for scheduling");
const NO_VICTIMS = unresolvable("", "No preemption victims found for incoming pod");

/** Makes room for a pod that fits no node: deletes less important pods of one node, and nominates the pod to it. */
export const defaultPreemption = (handle: SchedulerHandle, args: DefaultPreemptionArgs = {}): SchedulerPlugin =>
  new DefaultPreemption(handle, args);

class DefaultPreemption implements SchedulerPlugin {
  readonly name = NAME;
  // The plugins that rejected the pod decide when it is tried again.
  readonly events: NonNullable<SchedulerPlugin["events"]> = [
    { resource: "AssignedPod", action: Action.delete, hint: () => false },
  ];
  readonly #handle: SchedulerHandle;
  readonly #args: DefaultPreemptionArgs;
  /** The pods whose victims are being deleted, but for the last victim of each. */
  readonly #preempting = new Set<string>();

  constructor(handle: SchedulerHandle, args: DefaultPreemptionArgs) {
    this.#handle = handle;
    this.#args = args;
  }

  preEnqueue({ metadata }: Pod): Status | undefined {
    return this.#preempting.has(metadata?.uid ?? "")
      ? unresolvable(NAME, "waiting for the preemption for this pod to be finished")
      : undefined;
  }

  prepare({ priority }: PodInfo) {
    const { kinds, nodes } = this.#handle;
    return priority !== 0 || nodes.prioritiesDiffer ? kinds.follow([["policy/v1", "PodDisruptionBudget"]]) : undefined;
  }

  postFilter(state: CycleState, info: PodInfo, rejected: NodeStatuses): PostFilterResult {
    const result = this.#nominate(state, info, rejected);
    this.#handle.preempted?.(result.victims);
    return result;
  }

  #nominate(
    state: CycleState,
    info: PodInfo,
    rejected: NodeStatuses,
  ): PostFilterResult & { readonly victims?: number } {
    const pod = this.#handle.podOf(info.uid) ?? info;
    const ineligible = whyIneligible(pod, rejected, this.#handle.nodes.get(pod.pod.status?.nominatedNodeName ?? ""));
    if (ineligible !== undefined) return { status: because(ineligible) };
    const statuses = new Map<string, Status>();
    const candidates = this.#findCandidates(state, pod, rejected.withCode("unschedulable"), statuses);
    const chosen = cheapest(candidates, this.#handle.clock.now());
    if (chosen === undefined) {
      const diagnosis = { statuses, absent: NOT_HELPFUL, preFilterMessage: "", postFilterMessage: "" };
      return { status: because(fitMessage(this.#handle.nodes.list().length, diagnosis)), nominatedNode: "" };
    }
    void this.#preempt(pod, chosen);
    const { node, victims } = chosen;
    // K37-160: before 1.37 the pod does not learn of it.
    const message = this.#handle.release?.atLeast("1.37")
      ? `preemption: found a potential placement for pod on node ${node}, preempting ${victims.length} victims`
      : undefined;
    return { nominatedNode: node, victims: victims.length, message };
  }

  async #preempt(info: PodInfo, { node, victims }: Candidate): Promise<void> {
    const left = victims.filter(({ isTerminating }) => !isTerminating);
    const last = left.pop();
    if (last === undefined) return;
    this.#preempting.add(info.uid);
    try {
      const displaced = this.#handle.nominatedOn(node).filter(({ priority }) => priority < info.priority);
      await Promise.all(displaced.map((pod) => this.#handle.clearNomination(pod)));
      await Promise.all(left.map((victim) => evict(this.#handle, victim, info, node)));
      // The end of the last victim may move the pod.
      this.#preempting.delete(info.uid);
      await evict(this.#handle, last, info, node);
    } catch (error) {
      this.#preempting.delete(info.uid);
      this.#handle.report(error);
      this.#handle.activate(info.uid);
    }
  }

  /** What must go from a copy of a node for the pod to fit, or why nothing helps. */
  #selectVictims(
    state: CycleState,
    info: PodInfo,
    node: NodeInfo,
    budgets: readonly PodDisruptionBudget[],
  ): Candidate | Status {
    const remove = (pod: PodInfo): void => {
      node.removePod(pod.uid);
      this.#handle.removePod(state, info, pod, node);
    };
    const lesser = [...node.pods.values()].filter(({ priority }) => priority < info.priority);
    if (lesser.length === 0) return NO_VICTIMS;
    for (const pod of lesser) remove(pod);
    const status = this.#handle.fits(state, info, node);
    if (status !== undefined) return status;
    const order = byImportance(this.#handle.clock.now());
    const { violating, others } = byBudget(lesser.sort(order), budgets);
    const victims: PodInfo[] = [];
    let violations = 0;
    // As many stay as can, those first that a budget protects, and the more important first.
    for (const pod of [...violating, ...others]) {
      node.addPod(pod);
      this.#handle.addPod(state, info, pod, node);
      if (this.#handle.fits(state, info, node) === undefined) continue;
      remove(pod);
      victims.push(pod);
      if (violating.includes(pod)) violations++;
    }
    return { node: node.name, victims: victims.sort(order), violations };
  }

  #findCandidates(
    state: CycleState,
    info: PodInfo,
    potential: readonly NodeInfo[],
    statuses: Map<string, Status>,
  ): readonly Candidate[] {
    const { minCandidateNodesPercentage: percentage = 10, minCandidateNodesAbsolute: least = 100 } = this.#args;
    const wanted = candidateCount(potential.length, percentage, least);
    const offset = potential.length === 0 ? 0 : randomBelow(this.#handle.random, potential.length);
    const budgets = [...this.#handle.kinds.cache("policy/v1", "PodDisruptionBudget").values()];
    const kept: Candidate[] = [];
    const violating: Candidate[] = [];
    for (let index = 0; index < potential.length; index++) {
      const node = potential[(offset + index) % potential.length] as NodeInfo;
      const found = this.#selectVictims(state.clone(), info, node.clone(), budgets);
      if ("code" in found) statuses.set(node.name, found);
      else if (found.victims.length > 0) (found.violations === 0 ? kept : violating).push(found);
      if (kept.length > 0 && kept.length + violating.length >= wanted) break;
    }
    return [...kept, ...violating].slice(0, Math.max(wanted, 1));
  }
}

const because = (message: string): Status => unschedulable(NAME, `preemption: ${message}`);

/**
 * The number of candidates, which are nodes with victims that make room, after which preemption looks at no further node. It goes on while
 * every candidate violates a budget.
 */
export function candidateCount(nodeCount: number, percentage: number, least: number): number {
  return Math.min(nodeCount, Math.max(Math.trunc((nodeCount * percentage) / 100), least));
}

/** Why a pod may not preempt others; undefined when it may. */
function whyIneligible(
  { pod, priority }: PodInfo,
  rejected: NodeStatuses,
  nominated: NodeInfo | undefined,
): string | undefined {
  if (pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  if (nominated === undefined || rejected.get(nominated.name)?.code === "unresolvable") return undefined;
  for (const other of nominated.pods.values()) {
    if (other.priority < priority && isBeingPreempted(other)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return undefined;
}

function isBeingPreempted({ isTerminating, pod }: PodInfo): boolean {
  if (!isTerminating) return false;
  const condition = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  return condition?.status === "True" && condition.reason === "PreemptionByScheduler";
}

/** Deletes a pod to make room for `preemptor` on `node`; one that waits at permit is rejected instead. A pod that is gone is no error. */
async function evict(handle: SchedulerHandle, victim: PodInfo, preemptor: PodInfo, node: string): Promise<void> {
  const { client, clock, recorder, signal } = handle;
  const { namespace, name, uid } = victim;
  if (!handle.rejectWaiting(uid, PLUGIN.defaultPreemption, "preempted")) {
    const pods = client.of("v1", "Pod").namespace(namespace);
    const conditions = [disruption(victim, preemptor, clock.now())];
    try {
      await pods.patchStatus(name, { metadata: { uid }, status: { conditions } }, { type: "strategic", signal });
      await pods.delete(name, { preconditions: { uid }, signal });
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
  }
  const message = `Preempted by pod ${preemptor.uid} on node ${node}`;
  recorder.event(victim.pod, "Normal", "Preempted", message, { action: "Preempting", related: preemptor.pod });
}

function disruption({ pod }: PodInfo, preemptor: PodInfo, now: number): PodCondition {
  const known = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  const { generation = 0 } = pod.metadata ?? {};
  const scheduler = preemptor.pod.spec?.schedulerName || DEFAULT_SCHEDULER;
  return {
    type: "DisruptionTarget",
    ...(generation > 0 && ({ observedGeneration: generation } satisfies FieldsOf<PodCondition>)),
    status: "True",
    reason: "PreemptionByScheduler",
    message: `${scheduler}: preempting to accommodate a higher priority pod`,
    lastProbeTime: null,
    lastTransitionTime: (known?.status === "True" ? known.lastTransitionTime : undefined) ?? formatTime(now),
  };
}
