import type { Node, Pod, Taint } from "../../api/types/core/v1.js";
import { Action } from "../framework/cluster-event.js";
import type { SchedulerPlugin } from "../framework/plugin.js";
import { unresolvable } from "../framework/status.js";
import { PLUGIN } from "./names.js";
import { isTolerated } from "../../api/scheduling/taints.js";

const REJECTED = unresolvable(PLUGIN.nodeUnschedulable, "node(s) were unschedulable");
/** The taint that a cordoned node is taken to have. */
const CORDONED: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Rejects cordoned nodes for pods that do not tolerate the taint of cordoned nodes. */
export function nodeUnschedulable(): SchedulerPlugin {
  const accepts = ({ spec }: Pod): boolean => isTolerated(CORDONED, spec?.tolerations);
  return {
    name: PLUGIN.nodeUnschedulable,
    events: [
      {
        resource: "Node",
        action: Action.add | Action.nodeTaint,
        hint: (pod, _before, after) => (after as Node).spec?.unschedulable !== true || accepts(pod),
      },
      {
        resource: "UnscheduledPod",
        action: Action.podToleration,
        hint: (pod, _before, after) => isSame(pod, after) && accepts(after as Pod),
      },
    ],
    filter: (_state, { pod }, { isUnschedulable }) => (isUnschedulable && !accepts(pod) ? REJECTED : undefined),
  };
}

const isSame = (pod: Pod, other: unknown): boolean => pod.metadata?.uid === (other as Pod).metadata?.uid;
