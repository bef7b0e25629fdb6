import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Node, Pod, Taint, Toleration } from "../../api/types/core/v1.js";
import type { NamespacedName } from "../../client/informers/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { ControllerContext } from "../context.js";
import { disruptionTarget } from "../pod-garbage-collector/finish-pod.js";
import { podsByNode } from "../pod-indexes.js";
import { tolerates } from "../../api/scheduling/taints.js";

const NAME = "taint-eviction-controller";

/** Deletes the pods of nodes with NoExecute taints when the time is over for which they tolerate them. */
export function taintEvictionController({ client, manager, clock, recorder }: ControllerContext): void {
  const pods = manager.informers.of("v1", "Pod");
  const nodes = manager.informers.of("v1", "Node").lister;
  const podsOf = podsByNode(pods);
  const events = recorder({ component: NAME });
  /** The times of deletions that wait, by the pods' keys. */
  const waiting = new Map<string, number>();
  const taintsOf = (pod: Pod) => noExecuteTaints(nodes.get(pod.spec?.nodeName ?? "")?.spec?.taints);
  const note = (namespace: string, name: string, act: "Marking for" | "Cancelling"): void => {
    const text = `${act} deletion ${act === "Cancelling" ? "of " : ""}Pod ${namespace}/${name}`;
    events.event({ apiVersion: "v1", kind: "Pod", namespace, name }, "Normal", "TaintManagerEviction", text);
  };

  async function evict(pod: Pod): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
    note(namespace, name, "Marking for");
    const resource = client.of("v1", "Pod").namespace(namespace);
    const text = "Taint manager: deleting due to NoExecute taint";
    const condition = disruptionTarget(pod, "DeletionByTaintManager", text, clock.now());
    try {
      const patch = { metadata: { uid }, status: { conditions: [condition] } } satisfies FieldsOf<Pod>;
      await resource.patchStatus(name, patch, { type: "strategic" });
      await resource.delete(name, { preconditions: { uid } });
    } catch (error) {
      // Another pod may have the name by now.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  manager
    .controllerFor("v1", "Pod", {
      when: (pod, before) =>
        pod.spec?.nodeName !== undefined &&
        (before === undefined || changesEviction(before, pod)) &&
        (taintsOf(pod).length > 0 || waiting.has(keyOf(pod))),
    })
    .named(NAME)
    .workers(8)
    .watches("v1", "Node", ({ metadata }) => podsOf(metadata?.name ?? "").map(nameOf), { when: taintsChange })
    .reconcile(async ({ namespace, name, object: pod }) => {
      const key = `${namespace}/${name}`;
      const before = waiting.get(key);
      if (pod === undefined) {
        if (waiting.delete(key)) note(namespace, name, "Cancelling");
        return;
      }
      const taints = taintsOf(pod);
      const step = evictionStep(tolerationTime(taints, pod.spec?.tolerations), before, clock.now());
      if (step.type === "wait") {
        waiting.set(key, step.at);
        return { requeueAfterMilliseconds: Math.max(1, step.at - clock.now()) };
      }
      waiting.delete(key);
      const due = before !== undefined && before <= clock.now();
      if (before !== undefined && !(step.type === "evict" && due)) note(namespace, name, "Cancelling");
      if (step.type === "evict" && pod.metadata?.deletionTimestamp === undefined) await evict(pod);
      return;
    });
}

function changesEviction(before: Pod, after: Pod): boolean {
  if (before.spec?.nodeName !== after.spec?.nodeName || before.metadata?.uid !== after.metadata?.uid) return true;
  return !deepEqual(list(before.spec?.tolerations), list(after.spec?.tolerations));
}

function taintsChange(node: Node, before?: Node): boolean {
  const [old, now] = [noExecuteTaints(before?.spec?.taints), noExecuteTaints(node.spec?.taints)];
  return !deepEqual(list(old), list(now));
}

const list = (values: readonly object[] | undefined): JsonObject[] => (values ?? []) as JsonObject[];
const nameOf = ({ metadata }: Pod): NamespacedName => ({
  namespace: metadata?.namespace ?? "",
  name: metadata?.name ?? "",
});
const keyOf = ({ metadata }: Pod): string => `${metadata?.namespace}/${metadata?.name}`;

/** Returns the NoExecute taints, which evict running pods. */
export function noExecuteTaints(taints: readonly Taint[] = []): readonly Taint[] {
  return taints.filter(({ effect }) => effect === "NoExecute");
}

/**
 * The milliseconds that a pod may stay on a node with these taints: 0 where one is not tolerated, Infinity where all are tolerated forever.
 * Of the tolerations of one taint the first counts, and over all taints the shortest time.
 */
export function tolerationTime(taints: readonly Taint[], tolerations: readonly Toleration[] = []): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    // Of the tolerations of a taint the first counts.
    const matching = tolerations.find((toleration) => tolerates(toleration, taint));
    if (matching === undefined) return 0;
    shortest = Math.min(shortest, Math.max(0, matching.tolerationSeconds ?? Number.POSITIVE_INFINITY));
  }
  return shortest * 1000;
}

export type EvictionStep =
  | { readonly type: "keep" | "evict" }
  /** `at`: when the pod is evicted, in milliseconds. */
  | { readonly type: "wait"; readonly at: number };

/**
 * Decides what to do with a pod whose tolerations last for `time`. `waiting` is the time of a scheduled deletion: other tolerations do not
 * change it unless they last forever, or not at all.
 */
export function evictionStep(time: number, waiting: number | undefined, now: number): EvictionStep {
  if (time === Number.POSITIVE_INFINITY) return { type: "keep" };
  if (time === 0 || (waiting !== undefined && waiting <= now)) return { type: "evict" };
  return { type: "wait", at: waiting ?? now + time };
}
