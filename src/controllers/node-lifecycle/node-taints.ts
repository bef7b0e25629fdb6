import type { Node, Taint } from "../../api/types/core/v1.js";

export const NOT_READY: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoExecute" };
export const UNREACHABLE: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };

const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

/** The key of the taint that a condition of that type and status brings. */
const OF_CONDITIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  __proto__: null as never,
  Ready: { False: NOT_READY.key, Unknown: UNREACHABLE.key },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
};

const MANAGED = new Set([UNSCHEDULABLE, ...Object.values(OF_CONDITIONS).flatMap((keys) => Object.values(keys))]);

export interface TaintChange {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** The NoSchedule taints that the node's conditions and `spec.unschedulable` call for and it lacks, and those it has and that nothing calls for. */
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

/** The taints after a change; undefined when they stay as they are. `timeAdded` is the time of new ones. */
export function changedTaints(
  taints: readonly Taint[] = [],
  { add, remove }: TaintChange,
  timeAdded: string,
): Taint[] | undefined {
  const missing = add.filter((taint) => !hasTaint(taints, taint));
  const kept = taints.filter((taint) => !hasTaint(remove, taint));
  if (missing.length === 0 && kept.length === taints.length) return undefined;
  return [...kept, ...missing.map((taint) => ({ ...taint, timeAdded }))];
}
