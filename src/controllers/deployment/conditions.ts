import type { DeploymentCondition } from "../../api/types/apps/v1.js";
import { formatTime } from "../../machinery/meta/time.js";

type Conditions = readonly DeploymentCondition[];

export function condition(
  type: DeploymentCondition["type"],
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
  now: number,
): DeploymentCondition {
  const time = formatTime(now);
  return { type, status, reason, message, lastUpdateTime: time, lastTransitionTime: time };
}

export function conditionOf(conditions: Conditions | undefined, type: string): DeploymentCondition | undefined {
  return conditions?.find((one) => one.type === type);
}

export function without(conditions: Conditions, type: string): DeploymentCondition[] {
  return conditions.filter((one) => one.type !== type);
}

/** The condition goes last. One of the same status and reason stays as it is; one of the same status keeps its transition's time. */
export function withCondition(conditions: Conditions, added: DeploymentCondition): DeploymentCondition[] {
  const before = conditionOf(conditions, added.type);
  if (before?.status === added.status && before.reason === added.reason) return [...conditions];
  const { lastTransitionTime } = before?.status === added.status ? before : added;
  return [...without(conditions, added.type), { ...added, ...(lastTransitionTime != null && { lastTransitionTime }) }];
}
