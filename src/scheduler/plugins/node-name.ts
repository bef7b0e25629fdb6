import { Action } from "../framework/cluster-event.js";
import type { SchedulerPlugin } from "../framework/plugin.js";
import { SKIP, unresolvable } from "../framework/status.js";
import { PLUGIN } from "./names.js";

const REJECTED = unresolvable(PLUGIN.nodeName, "node(s) didn't match the requested node name");

/** Leaves a pod that names a node to that node. */
export function nodeName(): SchedulerPlugin {
  return {
    name: PLUGIN.nodeName,
    events: [{ resource: "Node", action: Action.add }],
    preFilter: (_state, { pod }) => ((pod.spec?.nodeName ?? "") === "" ? SKIP : undefined),
    filter: (_state, { pod }, { name }) => (pod.spec?.nodeName === name ? undefined : REJECTED),
  };
}
