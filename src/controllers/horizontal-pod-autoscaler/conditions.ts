import type { FieldsOf } from "../../machinery/meta/received.js";
import type {
  HorizontalPodAutoscalerStatus,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerConditionType,
} from "../../api/types/autoscaling/v2.js";
import { formatTime } from "../../machinery/meta/time.js";

/** The reason and the message of a condition. */
export interface Reason {
  readonly reason: string;
  readonly message: string;
}

export type Conditions = readonly HorizontalPodAutoscalerCondition[];

/** Sets a condition, in its place or at the end. Its time is that of its last change of status. `now` in milliseconds. */
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
  const condition = {
    type,
    status,
    ...(lastTransitionTime != null && ({ lastTransitionTime } satisfies FieldsOf<HorizontalPodAutoscalerCondition>)),
    reason,
    message,
  } satisfies FieldsOf<HorizontalPodAutoscalerCondition>;
  return place < 0 ? [...conditions, condition] : conditions.with(place, condition);
}

/** Sets the autoscaler's generation on those conditions that changed. */
export const ofGeneration = (conditions: Conditions, before: Conditions, observedGeneration: number): Conditions =>
  conditions.map((condition) =>
    before.includes(condition)
      ? condition
      : ({ ...condition, observedGeneration } satisfies FieldsOf<HorizontalPodAutoscalerStatus>),
  );

/** Whether the autoscaler itself scaled its target to zero, so that it may scale it up again. */
export const isScaledToZero = (conditions: Conditions): boolean =>
  conditions.some(({ type, status }) => type === "ScaledToZero" && status === "True");

export const SCALED_TO_ZERO: Reason = {
  reason: "ScaledToZero",
  message: "the HPA controller scaled the workload to zero",
};
export const NOT_SCALED_TO_ZERO: Reason = {
  reason: "NotScaledToZero",
  message: "the HPA controller did not scale the workload to zero",
};
