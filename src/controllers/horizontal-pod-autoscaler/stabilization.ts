import { largest } from "../../base/collections/append.js";
import type { HorizontalPodAutoscalerBehavior } from "../../api/types/autoscaling/v2.js";
import { type Recommendation, remember } from "./scale-history.js";
import type { Reason } from "./conditions.js";

/** The scale that recent recommendations allow, and those to remember. */
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

/** Without behaviour: the highest of the last five minutes. */
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

/** With behaviour: the current scale, moved as little as the recommendations of both windows ask for. */
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
