import type { Pod } from "../../api/types/core/v1.js";
import { Action, type ClusterEvent, isAnyEvent } from "../framework/cluster-event.js";
import type { QueuedOrder } from "../framework/plugin.js";
import type { Profile } from "../framework/profile.js";
import { DEFAULT_SCHEDULER } from "../options.js";
import { NO_NODES } from "../plugins/names.js";
import type { QueuedPod } from "./queued-pod.js";

/** The decisions that the queue leaves to the profiles' plugins. */
export interface QueueingRules {
  /** Negative when `a` is tried before `b`. */
  readonly compare: (a: QueuedOrder, b: QueuedOrder) => number;
  /** The name of the plugin that keeps the pod from being tried; "" for none. */
  gatedBy(pod: Pod): string;
  /** Whether the plugin has registered such an event; for a pod that it keeps back it decides no more than that. */
  registers(plugin: string, event: ClusterEvent, pod: Pod): boolean;
  /** Whether any plugin has registered such an event. */
  isOfInterest(event: ClusterEvent): boolean;
  /** Whether the event may make a pod schedulable that the plugin rejected. */
  mayHelp(plugin: string, event: ClusterEvent, pod: Pod, before: unknown, after: unknown): boolean;
}

/** How an event affects a rejected pod: not at all, or it is tried again after its backoff or at once. */
export type Strategy = "skip" | "after-backoff" | "immediately";

/** Asks the plugins that rejected the pod whether an event may help it. A pod that no plugin rejected is tried again at any event. */
export function strategyFor(
  rules: QueueingRules,
  { rejectedBy, pendingBy, info }: QueuedPod,
  event: ClusterEvent,
  before: unknown,
  after: unknown,
): Strategy {
  if (rejectedBy.size + pendingBy.size === 0 || isAnyEvent(event)) return "after-backoff";
  for (const plugin of pendingBy) {
    if (rules.mayHelp(plugin, event, info.pod, before, after)) return "immediately";
  }
  for (const plugin of rejectedBy) {
    if (rules.mayHelp(plugin, event, info.pod, before, after)) return "after-backoff";
  }
  return "skip";
}

/** Makes the rules of the profiles; the name of a pod's scheduler chooses the profile. */
export function rulesOf(profiles: ReadonlyMap<string, Profile>): QueueingRules {
  const all = [...profiles.values()];
  const of = ({ spec }: Pod): Profile | undefined => profiles.get(spec?.schedulerName || DEFAULT_SCHEDULER);
  return {
    // All profiles order the queue by the same plugin.
    compare: (a, b) => all[0]?.compare(a, b) ?? 0,
    gatedBy: (pod) => of(pod)?.gatedBy(pod) ?? "",
    registers: (plugin, event, pod) => of(pod)?.registers(plugin, event) ?? true,
    isOfInterest: (event) =>
      (event.resource === "Node" && event.action === Action.add) || all.some((profile) => profile.isOfInterest(event)),
    mayHelp(plugin, event, pod, before, after) {
      if (plugin === NO_NODES) return event.resource === "Node" && event.action === Action.add;
      return of(pod)?.mayHelp(plugin, event, pod, before, after) ?? true;
    },
  };
}
