import type { Pod } from "../../api/types/core/v1.js";
import type { NodeInfo } from "../cache/node-info.js";
import type { PodInfo } from "../cache/pod-info.js";
import type { EventHint } from "./cluster-event.js";
import type { CycleState } from "./cycle-state.js";
import type { Status } from "./status.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import type { NodeLister } from "../cache/scheduler-cache.js";
import type { FollowedKinds } from "../followed-kinds.js";

/** The facts about a queued pod by which pods are ordered. */
export interface QueuedOrder {
  readonly info: PodInfo;
  /** When the pod came into the queue, or was last rejected, in milliseconds since the Unix epoch. */
  timestamp: number;
}

/** The nodes that the cycle needs to consider; absent: all. */
export interface PreFilterResult {
  readonly nodeNames?: ReadonlySet<string>;
}

/** The nodes that filters rejected, and why. */
export interface NodeStatuses {
  /** Undefined for a node that was not rejected or does not exist. */
  get(node: string): Status | undefined;
  /** The rejected nodes whose status has that code. */
  withCode(code: "unschedulable" | "unresolvable"): readonly NodeInfo[];
}

export interface PostFilterResult {
  readonly status?: Status | undefined;
  /** Of a success: what the plugin has done for the pod. */
  readonly message?: string | undefined;
  /** The node that the pod is nominated to; "" clears its nomination, undefined leaves it. Only a success without it ends the plugins' turn. */
  readonly nominatedNode?: string | undefined;
}

/**
 * A plugin of the scheduling framework: any of kube-scheduler's extension points, in the order in which they run. Success is `undefined`.
 *
 * From `preFilter` to `permit` a cycle runs without a break: those methods are synchronous, may not wait, and see caches that do not change
 * under them. `prepare`, `preBind` and `bind` may wait. What is thrown is a status "error": the pod is retried after a backoff. Objects are
 * shared: never change them.
 */
export interface SchedulerPlugin {
  readonly name: string;
  /** Which events may make a pod schedulable that this plugin rejected. Absent: every event. */
  readonly events?: readonly EventHint[];
  /** Called before a pod's cycle; it waits for the promise. For what the plugin follows only while some pod needs it. */
  prepare?(info: PodInfo): Promise<void> | undefined;
  /** Keeps a pod out of the active queue while it rejects it. */
  preEnqueue?(pod: Pod): Status | undefined;
  /** The order of the active queue: negative when `a` comes before `b`. Exactly one plugin of a profile has it. */
  compare?(a: QueuedOrder, b: QueuedOrder): number;
  /** Computes what `filter` needs of the pod, once. "skip" leaves out `filter`. */
  preFilter?(state: CycleState, info: PodInfo, nodes: readonly NodeInfo[]): PreFilterResult | Status | undefined;
  /** Brings what `preFilter` computed up to date for a pod that is tried on `node`. */
  addPod?(state: CycleState, info: PodInfo, added: PodInfo, node: NodeInfo): void;
  /** As {@link addPod}, for a pod that is tried to be removed. */
  removePod?(state: CycleState, info: PodInfo, removed: PodInfo, node: NodeInfo): void;
  filter?(state: CycleState, info: PodInfo, node: NodeInfo): Status | undefined;
  /** Called when no node fits, to make one fit later. */
  postFilter?(state: CycleState, info: PodInfo, rejected: NodeStatuses): PostFilterResult;
  /** Computes what `score` needs, once. "skip" leaves out `score`. `nodes` are those that fit. */
  preScore?(state: CycleState, info: PodInfo, nodes: readonly NodeInfo[]): Status | undefined;
  /** Higher is better. Without `normalize` from 0 to 100. */
  score?(state: CycleState, info: PodInfo, node: NodeInfo): number;
  /** Brings the scores, in the order of `nodes`, between 0 and 100. */
  normalize?(state: CycleState, info: PodInfo, scores: number[], nodes: readonly NodeInfo[]): void;
  /** Takes what the pod needs on the node. */
  reserve?(state: CycleState, info: PodInfo, node: string): Status | undefined;
  /** Gives it back, also when this plugin has not reserved anything. May not fail. */
  unreserve?(state: CycleState, info: PodInfo, node: string): void;
  /** Lets the pod be bound, rejects it, or lets it wait. */
  permit?(state: CycleState, info: PodInfo, node: string): Status | undefined;
  preBind?(state: CycleState, info: PodInfo, node: string): Promise<Status | undefined>;
  /** Binds the pod. "skip" leaves it to the next plugin. */
  bind?(state: CycleState, info: PodInfo, node: string): Promise<Status | undefined>;
  postBind?(state: CycleState, info: PodInfo, node: string): void;
}

/** The highest score after `normalize`. */
export const MAX_NODE_SCORE = 100;

/** The parts of the scheduler that a plugin may use. */
export interface SchedulerHandle {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly recorder: EventRecorder;
  readonly nodes: NodeLister;
  /** Kinds other than pods and nodes, followed from the first pod on that needs them. */
  readonly kinds: FollowedKinds;
  /** The pods that wait for a node they were nominated to. */
  nominatedOn(node: string): readonly PodInfo[];
  /** Takes away a pod's nomination, in the API too. */
  clearNomination(info: PodInfo): Promise<void>;
  /** The newest state of a pod that the scheduler knows. */
  podOf(uid: string): PodInfo | undefined;
  /** Whether a pod fits a node, or the copy of a node, also beside pods that are nominated to it: the filters of the pod's cycle. */
  fits(state: CycleState, info: PodInfo, node: NodeInfo): Status | undefined;
  /** Tells the plugins of the cycle that a pod is tried on a copy of a node, or tried without. */
  addPod(state: CycleState, info: PodInfo, added: PodInfo, node: NodeInfo): void;
  removePod(state: CycleState, info: PodInfo, removed: PodInfo, node: NodeInfo): void;
  /** Makes a rejected pod active. */
  activate(uid: string): void;
  /** Rejects a pod that waits at permit; false when it does not. */
  rejectWaiting(uid: string, plugin: string, message: string): boolean;
  /** Lets plugin `plugin` agree to a pod that waits at permit; it is bound when all have. False when it does not wait. */
  allowWaiting(uid: string, plugin: string): boolean;
  /** The version of Kubernetes that the scheduler is of. Left out: the oldest that there is. */
  readonly release?: { atLeast(version: string): boolean } | undefined;
  /** Counts an attempt of preemption, with the number of its victims; undefined where no node has some. */
  preempted?(victims: number | undefined): void;
  /** Called with errors of work that no cycle waits for. */
  report(error: unknown): void;
  /** Aborts when the scheduler stops. */
  readonly signal: AbortSignal;
}

/** Makes a plugin for a profile; `args` are its settings in the profile's pluginConfig. */
export type PluginFactory = (handle: SchedulerHandle, args: unknown) => SchedulerPlugin;

/** Scales scores to 0 to 100, the highest to 100; `reverse` subtracts them from 100. */
export function normalizeScores(scores: number[], reverse: boolean): void {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  for (let index = 0; index < scores.length; index++) {
    const share = highest === 0 ? 0 : Math.trunc((MAX_NODE_SCORE * (scores[index] ?? 0)) / highest);
    scores[index] = reverse ? MAX_NODE_SCORE - share : share;
  }
}
