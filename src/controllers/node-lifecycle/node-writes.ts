import type { FieldsOf } from "../../machinery/meta/received.js";
import { dictionary } from "../../base/collections/dictionary.js";
import type { Node, NodeCondition, Pod, PodCondition, Taint } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { formatTime } from "../../machinery/meta/time.js";
import { isReady } from "../owned-pods/pod-state.js";

const ATTEMPTS = 5;

/** Adds and removes taints of the stored node. Does nothing for a node that was deleted. */
export async function changeTaints(
  client: KubernetesClient,
  name: string,
  change: TaintChange,
  clock: Clock,
): Promise<void> {
  const nodes = client.of("v1", "Node");
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { metadata, spec } = await nodes.get(name);
      const taints = changedTaints(spec?.taints, change, formatTime(clock.now()));
      if (taints === undefined) return;
      // Only to the very node that was read: the list of taints is replaced as a whole.
      const { resourceVersion } = metadata ?? {};
      await nodes.patch(name, { metadata: { resourceVersion }, spec: { taints } }, { type: "merge" });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Writes the conditions of a node. False when the node has changed since: the change is looked at for itself. */
export async function writeConditions(
  client: KubernetesClient,
  node: Node,
  conditions: NodeCondition[],
): Promise<boolean> {
  try {
    await client.of("v1", "Node").updateStatus({ ...node, status: { ...node.status, conditions } });
    return true;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false;
    throw error;
  }
}

/** Makes pods of a node that is not ready not ready. */
export async function markNotReady(
  client: KubernetesClient,
  pods: readonly Pod[],
  events: EventRecorder,
  clock: Clock,
): Promise<void> {
  for (const pod of pods) {
    if (!isReady(pod)) continue;
    const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
    const condition: PodCondition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()) };
    try {
      const patch = { metadata: { uid }, status: { conditions: [condition] } } satisfies FieldsOf<Node>;
      await client.of("v1", "Pod").namespace(namespace).patchStatus(name, patch, { type: "strategic" });
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) continue;
      throw error;
    }
    events.event(
      { apiVersion: "v1", kind: "Pod", namespace, name, uid },
      "Warning",
      "NodeNotReady",
      "Node is not ready",
    );
  }
}

export const NOT_READY: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoExecute" };
export const UNREACHABLE: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };

const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

/** The key of the taint that a condition of that type and status brings. */
const OF_CONDITIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = dictionary({
  Ready: { False: NOT_READY.key, Unknown: UNREACHABLE.key },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
});

const MANAGED = new Set([UNSCHEDULABLE, ...Object.values(OF_CONDITIONS).flatMap((keys) => Object.values(keys))]);

interface TaintChange {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** Computes the NoSchedule taints to add and to remove, so that they match the node's conditions and `spec.unschedulable`. */
export function noScheduleChange({ spec, status }: Node): TaintChange {
  const keys = (status?.conditions ?? []).flatMap(({ type, status: value }) => OF_CONDITIONS[type]?.[value] ?? []);
  if (spec?.unschedulable === true) keys.push(UNSCHEDULABLE);
  const wanted = keys.map((key): Taint => ({ key, effect: "NoSchedule" }));
  const present = (spec?.taints ?? []).filter(({ key, effect }) => effect === "NoSchedule" && MANAGED.has(key));
  return {
    add: wanted.filter((taint) => !hasTaint(present, taint)),
    remove: present.filter((taint) => !hasTaint(wanted, taint)),
  };
}

/** Whether one of the taints has the key and the effect of this one. */
export function hasTaint(taints: readonly Taint[] | undefined, { key, effect }: Taint): boolean {
  return taints?.some((taint) => taint.key === key && taint.effect === effect) === true;
}

/** Computes the taints after a change; undefined when they stay the same. `timeAdded` is the time of new ones. */
export function changedTaints(
  taints: readonly Taint[] = [],
  { add, remove }: TaintChange,
  timeAdded: string,
): Taint[] | undefined {
  const missing = add.filter((taint) => !hasTaint(taints, taint));
  const kept = taints.filter((taint) => !hasTaint(remove, taint));
  if (missing.length === 0 && kept.length === taints.length) return undefined;
  return [...kept, ...missing.map((taint) => ({ ...taint, timeAdded }) satisfies FieldsOf<Taint>)];
}
