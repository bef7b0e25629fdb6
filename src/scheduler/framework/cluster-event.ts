import type { Pod } from "../../api/types/core/v1.js";

/** The kind of the changed object. A plugin registers "Pod" for all three kinds of pods; an event has one of those. */
export type EventResource =
  | "Pod"
  | "AssignedPod"
  | "UnscheduledPod"
  | "Node"
  | "PersistentVolume"
  | "PersistentVolumeClaim"
  | "StorageClass"
  | "CSINode"
  | "CSIDriver"
  | "CSIStorageCapacity"
  | "VolumeAttachment"
  | "ResourceClaim"
  | "ResourceSlice"
  | "DeviceClass"
  | "*";

/** The kind of change as bits: a plugin registers several at once. */
export const Action = {
  add: 1,
  delete: 2,
  nodeAllocatable: 4,
  nodeLabel: 8,
  nodeTaint: 16,
  nodeCondition: 32,
  nodeAnnotation: 64,
  podLabel: 128,
  podScaleDown: 256,
  podToleration: 512,
  podGatesEliminated: 1024,
  podClaimGenerated: 2048,
  other: 4096,
  /** Any change of an object that is there. */
  update: 4 | 8 | 16 | 32 | 64 | 128 | 256 | 512 | 1024 | 2048 | 4096,
  all: 8191,
} as const;

export interface ClusterEvent {
  readonly resource: EventResource;
  /** Bits of {@link Action}. */
  readonly action: number;
}

/**
 * An event that may make a pod schedulable that the plugin rejected. `hint` decides whether it does for this pod; without it every such
 * event does. `before` is undefined for what was added, `after` for what was deleted.
 */
export interface EventHint extends ClusterEvent {
  readonly hint?: (pod: Pod, before: unknown, after: unknown) => boolean;
}

/** An event that moves every pod, whatever rejected it. */
export const ANY_EVENT: ClusterEvent = { resource: "*", action: Action.all };

export const isAnyEvent = ({ resource }: ClusterEvent): boolean => resource === "*";

/** Whether a registered event covers an event. */
export function matchesEvent(registered: ClusterEvent, event: ClusterEvent): boolean {
  if (registered.resource === "*") return true;
  const sameResource =
    registered.resource === event.resource ||
    (registered.resource === "Pod" && (event.resource === "AssignedPod" || event.resource === "UnscheduledPod"));
  return sameResource && (registered.action & event.action) !== 0;
}
