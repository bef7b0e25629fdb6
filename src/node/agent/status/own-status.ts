import { type Fields, object, objects, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { OWN_CONDITIONS } from "./pod-conditions.js";

/** The pod as the API has it, with the status that its node computed last, which the API may not have yet. Conditions of others stay. */
export function withOwnStatus(pod: KubeObject, own: JsonObject): KubeObject {
  const status = object(pod.status);
  const conditions = objects(own.conditions);
  const computed = new Set([...OWN_CONDITIONS, ...conditions.map(typeOf)]);
  const others = objects(status.conditions).filter((one) => !computed.has(typeOf(one)));
  return { ...pod, status: { ...status, ...own, conditions: [...conditions, ...others] } } as KubeObject;
}

/**
 * What a node sends to bring its part of a pod's status to `own`: a strategic merge patch, which leaves conditions of others alone
 * whatever becomes of them meanwhile. `before` is the status that the node sent last or, at first, found.
 */
export function ownStatusPatch(own: JsonObject, before: Fields): JsonObject {
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
    "$setElementOrder/conditions": types.map((type) => ({ type })),
    conditions: [...whole, ...gone.map((type) => ({ $patch: "delete", type }))] as JsonObject[],
    hostIPs: replaced(own.hostIPs),
    podIPs: replaced(own.podIPs),
  };
}

/** Whether the pod of the API has another status of one of the conditions that its node wrote. */
export function isOverwritten(pod: KubeObject, own: JsonObject): boolean {
  const conditions = objects(object(pod.status).conditions);
  return objects(own.conditions).some(
    (mine) => conditions.find((one) => typeOf(one) === typeOf(mine))?.status !== mine.status,
  );
}

/** Takes away what a condition said before and says no longer: a merge would keep it. */
function withdrawn(condition: Fields, before: Fields | undefined): JsonObject {
  const fields = ["reason", "message"].filter(
    (field) => before?.[field] !== undefined && condition[field] === undefined,
  );
  return Object.fromEntries(fields.map((field) => [field, null]));
}

const replaced = (list: unknown): JsonObject[] => [{ $patch: "replace" }, ...(objects(list) as JsonObject[])];

const typeOf = ({ type }: { readonly type?: unknown }): string => text(type);
