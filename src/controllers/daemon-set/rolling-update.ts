import { append } from "../../base/collections/append.js";
import type { DaemonSet } from "../../api/types/apps/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { isAvailable } from "../owned-pods/pod-state.js";
import { scaledValue } from "../owned-pods/scaled-value.js";
import { fitOn, isUpdated } from "./daemon-pod.js";
import type { DaemonState, DaemonSteps } from "./manage.js";

/** The number of nodes, of `nodes`, that may have an old and a new pod at a time. 0: the old pod is deleted first. */
export function surgeOf({ spec }: DaemonSet, nodes: number): number {
  if (spec?.updateStrategy?.type === "OnDelete") return 0;
  return scaledValue(spec?.updateStrategy?.rollingUpdate?.maxSurge, nodes, "up");
}

/** The pods of one node that are not being deleted, at most one of each kind; undefined where there are more. */
interface NodePods {
  readonly node: string;
  readonly newPod: Pod | undefined;
  readonly oldPod: Pod | undefined;
}

/** Plans the replacement of old pods within maxUnavailable and maxSurge. Nodes that {@link manage} still has to correct count as unavailable. */
export function rollingUpdate(state: DaemonState): DaemonSteps {
  const wanted = new Set(
    state.nodes.filter((node) => fitOn(state.set, node).mayRun).map(({ metadata }) => metadata?.name ?? ""),
  );
  const names = new Set([...state.podsOn.keys(), ...wanted]);
  const perNode = [...names].map((name) => podsOf(state, name));
  const surge = surgeOf(state.set, wanted.size);
  return surge === 0 ? replaceInPlace(state, perNode, wanted) : replaceBySurge(state, perNode, { wanted, surge });
}

function podsOf({ set, podsOn, hash }: DaemonState, node: string): NodePods | undefined {
  const pods = (podsOn.get(node) ?? []).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const [newPod, ...moreNew] = pods.filter((pod) => isUpdated(set, pod, hash));
  const [oldPod, ...moreOld] = pods.filter((pod) => !isUpdated(set, pod, hash));
  return moreNew.length + moreOld.length > 0 ? undefined : { node, newPod, oldPod };
}

/** Old pods that are not available go at once, of the others as many as may be missing. */
function replaceInPlace(
  state: DaemonState,
  perNode: readonly (NodePods | undefined)[],
  wanted: ReadonlySet<string>,
): DaemonSteps {
  const allowed = maxUnavailable(state.set, wanted.size);
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const pods of perNode) {
    const { newPod, oldPod } = pods ?? {};
    if ((newPod === undefined) === (oldPod === undefined)) unavailable++;
    else if (newPod !== undefined) unavailable += availableAt(state, newPod) ? 0 : 1;
    else if (oldPod !== undefined && !availableAt(state, oldPod)) {
      broken.push(oldPod);
      unavailable++;
    } else if (oldPod !== undefined) candidates.push(oldPod);
  }
  return { create: [], delete: [...broken, ...candidates.slice(0, Math.max(0, allowed - unavailable))] };
}

/** New pods come beside old ones; an old one goes when its successor is available. */
function replaceBySurge(
  state: DaemonState,
  perNode: readonly (NodePods | undefined)[],
  { wanted, surge }: { readonly wanted: ReadonlySet<string>; readonly surge: number },
): DaemonSteps {
  const doomed: Pod[] = [];
  const leaving: Pod[] = [];
  const atOnce: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const pods of perNode) {
    if (pods === undefined) {
      surging++;
      continue;
    }
    const { node, newPod, oldPod } = pods;
    const first = oldPod ?? newPod;
    if (first !== undefined && availableAt(state, first)) available++;
    if (oldPod === undefined) continue;
    if (newPod === undefined) {
      const serves = availableAt(state, oldPod);
      if (!wanted.has(node)) (serves ? leaving : doomed).push(oldPod);
      else (serves ? candidates : atOnce).push(node);
    } else if (availableAt(state, newPod)) doomed.push(oldPod);
    else surging++;
  }
  // A node that should have no pod any more keeps it until there are enough elsewhere.
  append(doomed, leaving.slice(0, Math.max(0, available - wanted.size)));
  return { create: [...atOnce, ...candidates.slice(0, Math.max(0, surge - surging))], delete: doomed };
}

/** Where neither may be, one may be unavailable. */
function maxUnavailable(set: DaemonSet, nodes: number): number {
  const stated = scaledValue(set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable, nodes, "up");
  return nodes > 0 && stated === 0 ? 1 : stated;
}

const availableAt = ({ set, now }: DaemonState, pod: Pod): boolean =>
  isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
