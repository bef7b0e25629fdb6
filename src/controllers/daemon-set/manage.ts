import { append } from "../../base/collections/append.js";
import type { DaemonSet } from "../../api/types/apps/v1.js";
import type { Node, Pod } from "../../api/types/core/v1.js";
import { isAvailable, isReady } from "../owned-pods/pod-state.js";
import { fitOn, isUpdated, oldestFirst } from "./daemon-pod.js";
import { surgeOf } from "./rolling-update.js";

export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** The set's pods by the node that they are on or meant for. */
  readonly podsOn: ReadonlyMap<string, readonly Pod[]>;
  /** The hash of the set's template. */
  readonly hash: string;
  /** In milliseconds. */
  readonly now: number;
}

export interface DaemonSteps {
  /** The names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

export interface ManagedSteps extends DaemonSteps {
  /** Those of the deleted pods that had ended, with the nodes that they were on. */
  readonly ended: readonly { readonly pod: Pod; readonly node: string }[];
  /** Milliseconds until a failed pod may be replaced that may not now. */
  readonly retryAfter: number | undefined;
}

/**
 * Computes which nodes lack a pod, and which pods must be deleted. `backoff` returns the milliseconds for which a failed pod of a
 * node must not be replaced yet; 0 allows it.
 */
export function manage(state: DaemonState, backoff: (node: string) => number): ManagedSteps {
  const create: string[] = [];
  const doomed: Pod[] = [];
  const ended: { pod: Pod; node: string }[] = [];
  let retryAfter: number | undefined;
  for (const node of state.nodes) {
    const name = node.metadata?.name ?? "";
    const { mayRun, mayStay } = fitOn(state.set, node);
    const pods = state.podsOn.get(name) ?? [];
    const staying = pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    if (!mayStay) {
      append(doomed, staying);
      continue;
    }
    if (pods.length === 0) {
      if (mayRun) create.push(name);
      continue;
    }
    const running: Pod[] = [];
    for (const pod of staying) {
      const phase = pod.status?.phase;
      const wait = phase === "Failed" ? backoff(name) : 0;
      if (phase !== "Failed" && phase !== "Succeeded") running.push(pod);
      else if (wait > 0) retryAfter = Math.min(retryAfter ?? wait, wait);
      else ended.push({ pod, node: name });
    }
    if (surgeOf(state.set, 1) === 0) append(doomed, oldestFirst(running).slice(1));
    else if (running.length > 0) append(doomed, excessOfSurge(state, running));
    else if (mayRun) create.push(name);
  }
  return { create, delete: [...ended.map(({ pod }) => pod), ...doomed, ...homeless(state)], ended, retryAfter };
}

/**
 * While a node has an old and a new pod, both stay until the new one is available or the old one is not ready any more. Of each,
 * only the oldest counts.
 */
function excessOfSurge({ set, hash, now }: DaemonState, running: readonly Pod[]): readonly Pod[] {
  const sorted = oldestFirst(running);
  const newPod = sorted.find((pod) => isUpdated(set, pod, hash));
  const oldPod = sorted.find((pod) => !isUpdated(set, pod, hash));
  const excess = sorted.filter((pod) => pod !== newPod && pod !== oldPod);
  if (newPod === undefined || oldPod === undefined) return excess;
  const isReplaced = !isReady(oldPod) || isAvailable(newPod, set.spec?.minReadySeconds ?? 0, now);
  return isReplaced ? [...excess, oldPod] : excess;
}

/** Pods that wait for a node that is gone. */
function homeless({ nodes, podsOn }: DaemonState): readonly Pod[] {
  const known = new Set(nodes.map(({ metadata }) => metadata?.name));
  return [...podsOn]
    .filter(([name]) => !known.has(name))
    .flatMap(([, pods]) => pods.filter(({ spec }) => (spec?.nodeName ?? "") === ""));
}
