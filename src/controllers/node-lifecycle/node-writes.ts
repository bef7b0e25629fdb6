import type { Node, NodeCondition, Pod, PodCondition } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { formatTime } from "../../machinery/meta/time.js";
import { isReady } from "../owned-pods/pod-state.js";
import { changedTaints, type TaintChange } from "./node-taints.js";

const ATTEMPTS = 5;

/** Adds and removes taints of a node as it is stored now. Does nothing for one that is gone. */
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
      const patch = { metadata: { uid }, status: { conditions: [condition] } };
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
