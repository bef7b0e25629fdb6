import { isFields, object, type ReadonlyFields } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { withAnnotations } from "../annotations.js";
import { without } from "../copies.js";
import { withChild, withChildren } from "../with-child.js";
import { annotatedBehavior, behaviorAnnotation } from "./behavior.js";
import { flatSpec, flatStatus, nestedSpec, nestedStatus } from "./flat-metrics.js";
import { BEHAVIOR, withoutRoundTripAnnotations } from "./round-trip-annotations.js";

/** autoscaling/v2beta1 -> autoscaling/v2: its metrics are flat, and its behaviour is an annotation. */
export function autoscalerFromV2beta1(autoscaler: KubeObject): KubeObject {
  const behavior = annotatedBehavior(autoscaler);
  const nested = withMetrics(withoutRoundTripAnnotations(autoscaler), nestedSpec, nestedStatus);
  return behavior === undefined ? nested : { ...nested, spec: { ...object(nested.spec), behavior } };
}

export function autoscalerToV2beta1(autoscaler: KubeObject): KubeObject {
  const { behavior } = object(autoscaler.spec);
  const annotations = isFields(behavior) ? { [BEHAVIOR]: behaviorAnnotation(behavior) } : {};
  const flat = withMetrics(withoutRoundTripAnnotations(autoscaler), flatSpec, flatStatus);
  return withChild(withAnnotations(flat, annotations), "spec", (spec) => without(spec, ["behavior"]));
}

type Change = (metric: ReadonlyFields) => ReadonlyFields;

function withMetrics(autoscaler: KubeObject, specOf: Change, statusOf: Change): KubeObject {
  const changed = withChild(autoscaler, "spec", (spec) => withChildren(spec, "metrics", specOf));
  return withChild(changed, "status", (status) => withChildren(status, "currentMetrics", statusOf));
}
