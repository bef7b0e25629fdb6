import type { Pod, PodCondition, PodStatus } from "../../../api/types/core/v1.js";
import {
  type FieldsOf,
  absent,
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { OWN_CONDITIONS } from "./pod-conditions.js";

/**
 * Returns the pod as the API has it, with the status that its node computed last, which the API may not have yet. Conditions of
 * other writers stay.
 */
export function withOwnStatus(pod: ReceivedObject<Pod>, own: Received<PodStatus>): ReceivedObject<Pod> {
  const status = object(pod.status);
  const conditions = objects(own.conditions);
  const computed = new Set([...OWN_CONDITIONS, ...conditions.map(typeOf)]);
  const others = objects(status.conditions).filter((one) => !computed.has(typeOf(one)));
  return { ...pod, status: { ...status, ...own, conditions: [...conditions, ...others] } };
}

/**
 * Makes the patch with which a node updates its part of a pod's status to `own`: a strategic merge patch, which leaves the
 * conditions of other writers alone. `before` is the status that the node sent last or, at first, found.
 */
export function ownStatusPatch(own: Received<PodStatus>, before: Received<PodStatus>): object {
  const conditions = objects(own.conditions);
  const types = conditions.map(typeOf);
  const sent = objects(before.conditions);
  const whole = conditions.map((one) => ({
    ...withdrawn(
      one,
      sent.find((other) => typeOf(other) === typeOf(one)),
    ),
    ...one,
  }));
  const gone = sent.map(typeOf).filter((type) => OWN_CONDITIONS.includes(type) && !types.includes(type));
  return {
    ...own,
    "$setElementOrder/conditions": types.map((type) => ({ type }) satisfies FieldsOf<PodCondition>),
    conditions: [...whole, ...gone.map((type) => ({ $patch: "delete", type }))],
    hostIPs: replaced(own.hostIPs),
    podIPs: replaced(own.podIPs),
  };
}

/** Whether the pod of the API has another status of one of the conditions that its node wrote. */
export function isOverwritten(pod: ReceivedObject<Pod>, own: Received<PodStatus>): boolean {
  const conditions = objects(object(pod.status).conditions);
  return objects(own.conditions).some(
    (mine) => conditions.find((one) => typeOf(one) === typeOf(mine))?.status !== mine.status,
  );
}

/** Takes away what a condition said before and says no longer: a merge would keep it. */
function withdrawn(condition: Received<PodCondition>, before: Received<PodCondition> | undefined): object {
  const fields = (["reason", "message"] as const).filter(
    (field) => !absent(before?.[field]) && absent(condition[field]),
  );
  return Object.fromEntries(fields.map((field) => [field, null]));
}

const replaced = (list: OrAbsent<readonly (object | null)[]>): readonly object[] => [
  { $patch: "replace" },
  ...objects(list),
];

const typeOf = ({ type }: Received<PodCondition>): string => text(type);
