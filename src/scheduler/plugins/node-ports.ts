import type { Pod } from "../../api/types/core/v1.js";
import { hostPorts, UsedPorts } from "../cache/host-ports.js";
import { Action } from "../framework/cluster-event.js";
import type { SchedulerPlugin } from "../framework/plugin.js";
import { SKIP, unschedulable } from "../framework/status.js";
import { PLUGIN } from "./names.js";

const REJECTED = unschedulable(PLUGIN.nodePorts, "node(s) didn't have free ports for the requested pod ports");

/** Rejects nodes where a host port of the pod is taken. */
export function nodePorts(): SchedulerPlugin {
  return {
    name: PLUGIN.nodePorts,
    events: [
      { resource: "AssignedPod", action: Action.delete, hint: (pod, before) => conflict(pod, before as Pod) },
      { resource: "Node", action: Action.add },
    ],
    preFilter: (_state, { ports }) => (ports.length === 0 ? SKIP : undefined),
    filter(_state, { ports }, { usedPorts }) {
      for (const port of ports) if (usedPorts.conflicts(port)) return REJECTED;
      return undefined;
    },
  };
}

function conflict(pod: Pod, other: Pod): boolean {
  const taken = new UsedPorts();
  for (const port of hostPorts(other)) taken.add(port);
  return hostPorts(pod).some((port) => taken.conflicts(port));
}
