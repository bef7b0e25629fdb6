import { Action } from "../framework/cluster-event.js";
import type { SchedulerPlugin } from "../framework/plugin.js";
import { SKIP, unresolvable, unschedulable } from "../framework/status.js";
import { PLUGIN } from "./names.js";
import type { Node, Pod, Taint } from "../../api/types/core/v1.js";
import { isTolerated } from "../../api/scheduling/taints.js";
import { hostPorts, UsedPorts } from "../cache/host-ports.js";

const OTHER_NODE = unresolvable(PLUGIN.nodeName, "node(s) didn't match the requested node name");

/** Restricts a pod that names a node to that node. */
export function nodeName(): SchedulerPlugin {
  return {
    name: PLUGIN.nodeName,
    events: [{ resource: "Node", action: Action.add }],
    preFilter: (_state, { pod }) => ((pod.spec?.nodeName ?? "") === "" ? SKIP : undefined),
    filter: (_state, { pod }, { name }) => (pod.spec?.nodeName === name ? undefined : OTHER_NODE),
  };
}

const UNSCHEDULABLE = unresolvable(PLUGIN.nodeUnschedulable, "node(s) were unschedulable");
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
    filter: (_state, { pod }, { isUnschedulable }) => (isUnschedulable && !accepts(pod) ? UNSCHEDULABLE : undefined),
  };
}

const isSame = (pod: Pod, other: unknown): boolean => pod.metadata?.uid === (other as Pod).metadata?.uid;

const PORTS_TAKEN = unschedulable(PLUGIN.nodePorts, "node(s) didn't have free ports for the requested pod ports");

/** Rejects nodes where another pod uses a host port of the pod. */
export function nodePorts(): SchedulerPlugin {
  return {
    name: PLUGIN.nodePorts,
    events: [
      { resource: "AssignedPod", action: Action.delete, hint: (pod, before) => conflict(pod, before as Pod) },
      { resource: "Node", action: Action.add },
    ],
    preFilter: (_state, { ports }) => (ports.length === 0 ? SKIP : undefined),
    filter(_state, { ports }, { usedPorts }) {
      for (const port of ports) if (usedPorts.conflicts(port)) return PORTS_TAKEN;
      return undefined;
    },
  };
}

function conflict(pod: Pod, other: Pod): boolean {
  const taken = new UsedPorts();
  for (const port of hostPorts(other)) taken.add(port);
  return hostPorts(pod).some((port) => taken.conflicts(port));
}
