import type { Node, Pod, PodSpec } from "../../api/types/core/v1.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { ResizeSums } from "../../api/pods/pod-total.js";
import { podRequests } from "../cache/pod-info.js";
import { amountOf } from "../cache/resources.js";
import { Action, type ClusterEvent, type EventResource } from "./cluster-event.js";

/** The changes in an update of a node that may make waiting pods schedulable; none for a heartbeat. */
export function nodeChanges(before: Node, after: Node): readonly ClusterEvent[] {
  const events: ClusterEvent[] = [];
  const add = (changed: boolean, action: number): void => {
    if (changed) events.push({ resource: "Node", action });
  };
  add(differ(before.status?.allocatable, after.status?.allocatable), Action.nodeAllocatable);
  add(differ(before.metadata?.labels, after.metadata?.labels), Action.nodeLabel);
  const [was, is] = [before.spec, after.spec];
  const cordoned = (was?.unschedulable ?? false) !== (is?.unschedulable ?? false);
  add(cordoned || differ(was?.taints, is?.taints), Action.nodeTaint);
  add(differ(conditions(before), conditions(after)), Action.nodeCondition);
  add(differ(before.metadata?.annotations, after.metadata?.annotations), Action.nodeAnnotation);
  return events;
}

/**
 * The changes in an update of a pod that may make waiting pods schedulable. A change without a name is "other"; the scheduler's
 * own writes to a waiting pod's status are none.
 */
export function podChanges(before: Pod, after: Pod, resizes: ResizeSums = "by-container"): readonly ClusterEvent[] {
  const resource: EventResource = (after.spec?.nodeName ?? "") === "" ? "UnscheduledPod" : "AssignedPod";
  const actions: number[] = [];
  if (differ(before.metadata?.labels, after.metadata?.labels)) actions.push(Action.podLabel);
  if (takesLess(before, after, resizes)) actions.push(Action.podScaleDown);
  const [was, is]: (PodSpec | undefined)[] = [before.spec, after.spec];
  if ((was?.schedulingGates?.length ?? 0) > 0 && (is?.schedulingGates?.length ?? 0) === 0) {
    actions.push(Action.podGatesEliminated);
  }
  if ((was?.tolerations?.length ?? 0) !== (is?.tolerations?.length ?? 0)) actions.push(Action.podToleration);
  if (differ(before.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses)) {
    actions.push(Action.podClaimGenerated);
  }
  if (actions.length === 0 && (resource === "AssignedPod" || isOtherwiseChanged(before, after)))
    actions.push(Action.other);
  return actions.map((action) => ({ resource, action }));
}

function isOtherwiseChanged(before: Pod, after: Pod): boolean {
  const generations = [before.metadata?.generation, after.metadata?.generation];
  return generations[0] !== generations[1] || differ(before.metadata?.annotations, after.metadata?.annotations);
}

function takesLess(before: Pod, after: Pod, resizes: ResizeSums): boolean {
  if (
    !differ(before.spec?.containers, after.spec?.containers) &&
    !differ(statusResources(before, resizes), statusResources(after, resizes))
  ) {
    return false;
  }
  const [had, has] = [podRequests(before, resizes).requests, podRequests(after, resizes).requests];
  const names = ["cpu", "memory", "ephemeral-storage", ...(had.scalars?.keys() ?? [])];
  return names.some((name) => amountOf(has, name) < amountOf(had, name));
}

function statusResources({ status }: Pod, resizes: ResizeSums): unknown {
  const init = resizes === "by-pod" ? status?.initContainerStatuses : undefined;
  return [...(status?.containerStatuses ?? []), ...(init ?? [])].map(({ resources, allocatedResources }) => [
    resources ?? null,
    allocatedResources ?? null,
  ]);
}

/** Without the times of heartbeats. */
function conditions({ status }: Node): unknown {
  return status?.conditions?.map((condition) => [condition.type, condition.status]);
}

function differ(a: unknown, b: unknown): boolean {
  return a !== b && !deepEqual(a ?? null, b ?? null);
}
