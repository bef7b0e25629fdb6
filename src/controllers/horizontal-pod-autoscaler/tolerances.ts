import type { HorizontalPodAutoscalerBehavior } from "../../api/types/autoscaling/v2.js";
import { parseQuantity, quantityToNumber } from "../../machinery/text/quantity/quantity.js";

/** How far usage may be from its target without a change of scale, as shares: 0.1 is 10 %. */
export interface Tolerances {
  readonly scaleUp: number;
  readonly scaleDown: number;
}

const DEFAULT = 0.1;

export function tolerancesOf(behavior: HorizontalPodAutoscalerBehavior | undefined): Tolerances {
  const share = (tolerance: string | number | undefined): number =>
    tolerance === undefined ? DEFAULT : quantityToNumber(parseQuantity(String(tolerance)));
  return { scaleUp: share(behavior?.scaleUp?.tolerance), scaleDown: share(behavior?.scaleDown?.tolerance) };
}

/** Whether `ratio`, usage divided by its target, is too close to 1 for a change of scale. */
export const isWithin = ({ scaleUp, scaleDown }: Tolerances, ratio: number): boolean =>
  1 - scaleDown <= ratio && ratio <= 1 + scaleUp;
