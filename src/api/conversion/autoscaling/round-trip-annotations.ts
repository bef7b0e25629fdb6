import type { KubeObject } from "../../../machinery/meta/object.js";
import { withoutAnnotations } from "../annotations.js";

/** What a version of HorizontalPodAutoscaler has no fields for travels in these. The hub has none of them. */
export const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
export const CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics";
export const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
export const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";
export const SCALE_DOWN_TOLERANCE = "autoscaling.alpha.kubernetes.io/scale-down-tolerance";
export const SCALE_UP_TOLERANCE = "autoscaling.alpha.kubernetes.io/scale-up-tolerance";

const ALL = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR, SCALE_DOWN_TOLERANCE, SCALE_UP_TOLERANCE];

/** Those that are there before a conversion mean nothing to the version it goes to. */
export function withoutRoundTripAnnotations(autoscaler: KubeObject): KubeObject {
  return withoutAnnotations(autoscaler, ALL);
}

/** An annotation's JSON; undefined where there is none or it cannot be read, which Kubernetes passes over in silence. */
export function annotatedJson(autoscaler: KubeObject, name: string): unknown {
  const annotations = autoscaler.metadata?.annotations ?? {};
  const json = Object.hasOwn(annotations, name) ? annotations[name] : undefined;
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
