import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "../../api/types/autoscaling/v2.js";
import { type Conditions, type Reason, withCondition } from "./conditions.js";
import {
  remember,
  type ScaleChange,
  type ScaleHistory,
  limit,
  limitWithBehavior,
  stabilize,
  stabilizeWithBehavior,
} from "./scaling-behavior.js";

export interface DecisionInput {
  /** Of the scale's spec. */
  readonly current: number;
  /** What metrics ask for, and by which one. */
  readonly wanted: number;
  readonly metric: string;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly conditions: Conditions;
  readonly history: ScaleHistory;
  /** In milliseconds. */
  readonly now: number;
}

/** The scale to set, with the conditions and the history after it. */
export interface Decision {
  readonly replicas: number;
  /** Why the scale is another one: "All metrics below target"; "" where it is not. */
  readonly reason: string;
  readonly conditions: Conditions;
  readonly history: ScaleHistory;
}

/** Decides the scale from what the metrics want, earlier recommendations and limits. */
export function decide(input: DecisionInput): Decision {
  const { current, wanted, behavior, history, now } = input;
  const stabilized =
    behavior === undefined
      ? stabilize(wanted, history.recommendations, now)
      : stabilizeWithBehavior({ wanted, current, now }, behavior, history.recommendations);
  const limits = { current, min: input.min, max: input.max };
  const limited =
    behavior === undefined
      ? limit(stabilized.replicas, limits)
      : limitWithBehavior(stabilized.replicas, limits, behavior, history, now);
  const isLimited = limited.replicas === stabilized.replicas ? "False" : "True";
  const able = withCondition(input.conditions, "AbleToScale", "True", stabilized.reason, now);
  return {
    replicas: limited.replicas,
    reason: reasonOf(input),
    conditions: withCondition(able, "ScalingLimited", isLimited, limited.reason, now),
    history: { ...history, recommendations: stabilized.recommendations },
  };
}

function reasonOf({ current, wanted, metric }: DecisionInput): string {
  if (wanted > current) return `${metric} above target`;
  return wanted < current ? "All metrics below target" : "";
}

/** The nearest bound if the current scale is outside its bounds; metrics are not read then. Undefined inside the bounds. */
export function outOfBounds(
  current: number,
  min: number,
  max: number,
): { readonly replicas: number; readonly reason: string } | undefined {
  if (current > max) return { replicas: max, reason: "Current number of replicas above Spec.MaxReplicas" };
  if (current < min) return { replicas: min, reason: "Current number of replicas below Spec.MinReplicas" };
  return undefined;
}

export const DISABLED: Reason = {
  reason: "ScalingDisabled",
  message: "scaling is disabled since the replica count of the target is zero",
};

/** Adds a change of scale to the history, which is needed only where `behavior` has policies. */
export function withChange(
  history: ScaleHistory,
  behavior: HorizontalPodAutoscalerBehavior | undefined,
  from: number,
  to: number,
  now: number,
): ScaleHistory {
  if (behavior === undefined) return history;
  const change: ScaleChange = { replicas: Math.abs(to - from), at: now };
  const isOld =
    (rules: HPAScalingRules | undefined) =>
    ({ at }: ScaleChange): boolean =>
      at < now - longestPeriod(rules) * 1000;
  if (to > from) return { ...history, ups: remember(history.ups, isOld(behavior.scaleUp), change) };
  return { ...history, downs: remember(history.downs, isOld(behavior.scaleDown), change) };
}

const longestPeriod = (rules: HPAScalingRules | undefined): number =>
  Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds));
