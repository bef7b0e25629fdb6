import { largest, smallest } from "../../base/collections/append.js";
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "../../api/types/autoscaling/v2.js";
import type { Reason } from "./conditions.js";

/** The stabilized scale, and the recommendations to remember. */
export interface Stabilized {
  readonly replicas: number;
  readonly recommendations: readonly Recommendation[];
  /** Of the condition AbleToScale. */
  readonly reason: Reason;
}

/** How long a higher recommendation counts, unless the autoscaler says otherwise. Seconds. */
const DOWNSCALE_WINDOW = 300;

const READY: Reason = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const DOWN: Reason = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const UP: Reason = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

/** Stabilizes a scale without `behavior`: the highest recommendation of the last five minutes. */
export function stabilize(wanted: number, recommendations: readonly Recommendation[], now: number): Stabilized {
  const isOld = ({ at }: Recommendation): boolean => at < now - DOWNSCALE_WINDOW * 1000;
  const recent = recommendations.filter((one) => !isOld(one)).map(({ replicas }) => replicas);
  const replicas = largest([wanted, ...recent]);
  return {
    replicas,
    recommendations: remember(recommendations, isOld, { replicas: wanted, at: now }),
    reason: replicas === wanted ? READY : DOWN,
  };
}

/** Stabilizes a recommendation with `behavior`: it changes the current scale only as far as the recommendations in both windows agree. */
export function stabilizeWithBehavior(
  { wanted, current, now }: { readonly wanted: number; readonly current: number; readonly now: number },
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  recommendations: readonly Recommendation[],
): Stabilized {
  const upSince = now - (scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
  const downSince = now - (scaleDown?.stabilizationWindowSeconds ?? DOWNSCALE_WINDOW) * 1000;
  const after = (since: number): number[] =>
    recommendations.filter(({ at }) => at > since).map(({ replicas }) => replicas);
  const lowest = Math.min(wanted, ...after(upSince));
  const highest = Math.max(wanted, ...after(downSince));
  const replicas = Math.min(Math.max(current, lowest), highest);
  const isOld = ({ at }: Recommendation): boolean => at < upSince && at < downSince;
  const limited = wanted >= current ? UP : DOWN;
  return {
    replicas,
    recommendations: remember(recommendations, isOld, { replicas: wanted, at: now }),
    reason: replicas === wanted ? READY : limited,
  };
}

/** A scale that metrics asked for, before limits. */
interface Recommendation {
  readonly replicas: number;
  /** In milliseconds. */
  readonly at: number;
}

/** A change of scale: by how many replicas. */
export interface ScaleChange {
  readonly replicas: number;
  /** In milliseconds. */
  readonly at: number;
}

/** The history that the controller keeps of an autoscaler. It is lost when the controller stops, as in Kubernetes. */
export interface ScaleHistory {
  readonly recommendations: readonly Recommendation[];
  readonly ups: readonly ScaleChange[];
  readonly downs: readonly ScaleChange[];
}

/** Adds `sample` to the list in place of the last expired one, or at the end. */
export function remember<T>(samples: readonly T[], isOld: (sample: T) => boolean, sample: T): readonly T[] {
  const place = samples.findLastIndex(isOld);
  return place < 0 ? [...samples, sample] : samples.with(place, sample);
}

/** By how many replicas the scale changed in the last seconds. `now` in milliseconds. */
const changeWithin = (changes: readonly ScaleChange[], seconds: number, now: number): number =>
  changes.reduce((sum, { replicas, at }) => (at > now - seconds * 1000 ? sum + replicas : sum), 0);

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

/** Limits a scale without `behavior`: to `min` and `max`, and upwards to twice the current scale, or to 4 if that is more. */
export function limit(wanted: number, { current, min, max }: Limits): Limited {
  const fastest = Math.max(2 * current, 4);
  const most = Math.min(max, fastest);
  if (wanted < min) return { replicas: min, reason: TOO_FEW };
  if (wanted > most) return { replicas: most, reason: max > fastest ? TOO_FAST_UP : TOO_MANY };
  return { replicas: wanted, reason: WITHIN };
}

/** Limits a scale by the policies of `behavior`, given the earlier changes in their periods. `now` in milliseconds. */
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
