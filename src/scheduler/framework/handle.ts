import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import type { NodeLister } from "../cache/scheduler-cache.js";
import type { NodeInfo } from "../cache/node-info.js";
import type { PodInfo } from "../cache/pod-info.js";
import type { FollowedKinds } from "../followed-kinds.js";
import type { CycleState } from "./cycle-state.js";
import type { SchedulerPlugin } from "./plugin.js";
import type { Status } from "./status.js";

/** What a plugin may use of the scheduler. */
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
  /** Called with errors of work that no cycle waits for. */
  report(error: unknown): void;
  /** Aborts when the scheduler stops. */
  readonly signal: AbortSignal;
}

/** Makes a plugin of a profile; `args` are what the profile's pluginConfig has for it. */
export type PluginFactory = (handle: SchedulerHandle, args: unknown) => SchedulerPlugin;
