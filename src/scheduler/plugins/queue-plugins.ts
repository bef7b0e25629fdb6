import type { SchedulerPlugin } from "../framework/plugin.js";
import { PLUGIN } from "./names.js";
import type { Pod } from "../../api/types/core/v1.js";
import { Action } from "../framework/cluster-event.js";
import { unresolvable } from "../framework/status.js";

/** Sorts pods by priority, and pods of the same priority by the time that they have waited. */
export function prioritySort(): SchedulerPlugin {
  return {
    name: PLUGIN.prioritySort,
    events: [],
    compare: (a, b) => b.info.priority - a.info.priority || a.timestamp - b.timestamp,
  };
}

/** Keeps pods out of the queue while they have scheduling gates. */
export function schedulingGates(): SchedulerPlugin {
  return {
    name: PLUGIN.schedulingGates,
    events: [
      {
        resource: "UnscheduledPod",
        action: Action.podGatesEliminated,
        hint: (pod, _before, after) => (after as Pod).metadata?.uid === pod.metadata?.uid,
      },
    ],
    preEnqueue({ spec }) {
      const gates = (spec?.schedulingGates ?? []).map(({ name }) => name);
      if (gates.length === 0) return undefined;
      return unresolvable(PLUGIN.schedulingGates, `waiting for scheduling gates: [${gates.join(" ")}]`);
    },
  };
}
