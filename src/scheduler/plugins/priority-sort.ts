import type { SchedulerPlugin } from "../framework/plugin.js";
import { PLUGIN } from "./names.js";

/** Tries pods of higher priority first, and of equal priority those that wait longest. */
export function prioritySort(): SchedulerPlugin {
  return {
    name: PLUGIN.prioritySort,
    events: [],
    compare: (a, b) => b.info.priority - a.info.priority || a.timestamp - b.timestamp,
  };
}
