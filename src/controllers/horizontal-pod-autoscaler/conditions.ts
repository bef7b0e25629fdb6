import type {
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerConditionType,
} from "../../api/types/autoscaling/v2.js";
import { formatTime } from "../../machinery/meta/time.js";

/** Why a condition has its status. */
export interface Reason {
  readonly reason: string;
  readonly message: string;
}

export type Conditions = readonly HorizontalPodAutoscalerCondition[];

/** The conditions with this one, in its place or behind the others. Its time is that of its last change of status. `now` in milliseconds. */
export function withCondition(
  conditions: Conditions,
  type: HorizontalPodAutoscalerConditionType,
  status: "True" | "False",
  { reason, message }: Reason,
  now: number,
): Conditions {
  const place = conditions.findIndex((one) => one.type === type);
  const before = conditions[place];
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : formatTime(now);
  const condition = { type, status, ...(lastTransitionTime != null && { lastTransitionTime }), reason, message };
  return place < 0 ? [...conditions, condition] : conditions.with(place, condition);
}
