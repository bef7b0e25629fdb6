import type { Condition } from "../types/meta/v1.js";
import type { PodDisruptionBudgetStatus } from "../types/policy/v1.js";
import { number, object, objects, type Received, text, type ReceivedObject } from "../../machinery/meta/received.js";
import type { Pod } from "../types/core/v1.js";

type Status = Received<PodDisruptionBudgetStatus> | null | undefined;

const TYPE = "DisruptionAllowed";

/** The condition that follows from a budget's numbers. */
export function allowedCondition(status: Status): { readonly status: "True" | "False"; readonly reason: string } {
  return number(object(status).disruptionsAllowed) > 0
    ? { status: "True", reason: "SufficientPods" }
    : { status: "False", reason: "InsufficientPods" };
}

export function hasCondition(status: Status, wanted: { readonly status: string; readonly reason: string }): boolean {
  const found = objects(object(status).conditions).find(({ type }) => type === TYPE);
  return found?.status === wanted.status && found.reason === wanted.reason;
}

/** A budget's conditions with DisruptionAllowed as `wanted`; its time is kept while its status is. `now` is RFC 3339. */
export function withAllowedCondition(
  status: Status,
  wanted: { readonly status: "True" | "False"; readonly reason: string; readonly message?: string },
  now: string,
): readonly Received<Condition>[] {
  const conditions = objects(object(status).conditions);
  const found = conditions.find(({ type }) => type === TYPE);
  const next: Condition = {
    type: TYPE,
    status: wanted.status,
    observedGeneration: number(object(status).observedGeneration),
    lastTransitionTime: found?.status === wanted.status ? text(found.lastTransitionTime) : now,
    reason: wanted.reason,
    message: wanted.message ?? "",
  };
  return found === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === found ? next : condition));
}

/** Whether the pod's Ready condition is True: what a disruption budget counts as healthy. */
export function isPodReady(pod: ReceivedObject<Pod>): boolean {
  return objects(object(pod.status).conditions).some(({ type, status }) => type === "Ready" && status === "True");
}
