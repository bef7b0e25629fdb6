import { largest, smallest } from "../../base/collections/append.js";
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "../../api/types/autoscaling/v2.js";
import type { Reason } from "./conditions.js";
import { changeWithin, type ScaleHistory } from "./scale-history.js";

export interface Limits {
  readonly current: number;
  readonly min: number;
  readonly max: number;
}

/** The scale within the limits, and the reason of the condition ScalingLimited. */
export interface Limited {
  readonly replicas: number;
  readonly reason: Reason;
}

const WITHIN: Reason = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};
const TOO_MANY: Reason = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const TOO_FEW: Reason = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const TOO_FAST_UP: Reason = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const TOO_FAST_DOWN: Reason = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

/** Without behaviour: at most twice the current scale, and 4 in any case. */
export function limit(wanted: number, { current, min, max }: Limits): Limited {
  const fastest = Math.max(2 * current, 4);
  const most = Math.min(max, fastest);
  if (wanted < min) return { replicas: min, reason: TOO_FEW };
  if (wanted > most) return { replicas: most, reason: max > fastest ? TOO_FAST_UP : TOO_MANY };
  return { replicas: wanted, reason: WITHIN };
}

/** With behaviour: what the policies allow after the changes of their periods. `now` in milliseconds. */
export function limitWithBehavior(
  wanted: number,
  { current, min, max }: Limits,
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  history: ScaleHistory,
  now: number,
): Limited {
  if (wanted > current) {
    const fastest = Math.max(current, scaleUpLimit(current, scaleUp ?? {}, history, now));
    const most = Math.min(max, fastest);
    if (wanted > most) return { replicas: most, reason: max > fastest ? TOO_FAST_UP : TOO_MANY };
  } else if (wanted < current) {
    const fastest = Math.min(current, scaleDownLimit(current, scaleDown ?? {}, history, now));
    const least = Math.max(min, fastest);
    if (wanted < least) return { replicas: least, reason: min < fastest ? TOO_FAST_DOWN : TOO_FEW };
  }
  return { replicas: wanted, reason: WITHIN };
}

function scaleUpLimit(current: number, rules: HPAScalingRules, history: ScaleHistory, now: number): number {
  if (rules.selectPolicy === "Disabled") return current;
  const limits = (rules.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = startOfPeriod(current, history, periodSeconds, now);
    return type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100));
  });
  return rules.selectPolicy === "Min" ? smallest(limits) : largest(limits);
}

function scaleDownLimit(current: number, rules: HPAScalingRules, history: ScaleHistory, now: number): number {
  if (rules.selectPolicy === "Disabled") return current;
  const limits = (rules.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = startOfPeriod(current, history, periodSeconds, now);
    return type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100));
  });
  return rules.selectPolicy === "Min" ? largest(limits) : smallest(limits);
}

/** The scale at the begin of a policy's period. */
const startOfPeriod = (current: number, { ups, downs }: ScaleHistory, seconds: number, now: number): number =>
  current - changeWithin(ups, seconds, now) + changeWithin(downs, seconds, now);
