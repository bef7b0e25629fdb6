import { defaultHorizontalPodAutoscaler, defaultMinReplicas } from "../../defaults/autoscaling.js";
import type { VersionTable } from "../version-table.js";
import {
  ensureChild,
  type Fields,
  list,
  isFields,
  object,
  type ReadonlyFields,
  text,
} from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { withAnnotations, without, withChild, withChildren } from "../copies.js";
import {
  annotatedBehavior,
  behaviorAnnotation,
  BEHAVIOR,
  withoutRoundTripAnnotations,
  SCALE_DOWN_TOLERANCE,
  SCALE_UP_TOLERANCE,
} from "./annotations.js";
import { flatSpec, flatStatus, nestedSpec, nestedStatus } from "./flat-metrics.js";
import { canonicalizeQuantity, QuantityError } from "../../../machinery/text/quantity/quantity.js";

export const AUTOSCALING_BETAS: VersionTable = {
  "autoscaling/v2beta1/HorizontalPodAutoscaler": {
    conversion: { toHub: autoscalerFromV2beta1, fromHub: autoscalerToV2beta1 },
    applyDefaults: defaultAutoscalerV2beta1,
  },
  "autoscaling/v2beta2/HorizontalPodAutoscaler": {
    conversion: { toHub: autoscalerFromV2beta2, fromHub: autoscalerToV2beta2 },
    applyDefaults: defaultHorizontalPodAutoscaler,
  },
};

/** As in v2, in v2beta1's flat metrics. */
function defaultAutoscalerV2beta1(autoscaler: Fields): void {
  defaultMinReplicas(autoscaler);
  const spec = ensureChild(autoscaler, "spec");
  if (list(spec.metrics).length > 0) return;
  spec.metrics = [{ type: "Resource", resource: { name: "cpu", targetAverageUtilization: 80 } }];
}

/** autoscaling/v2beta1 -> autoscaling/v2: its metrics are flat, and its behaviour is an annotation. */
function autoscalerFromV2beta1(autoscaler: KubeObject): KubeObject {
  const behavior = annotatedBehavior(autoscaler);
  const nested = withMetrics(withoutRoundTripAnnotations(autoscaler), nestedSpec, nestedStatus);
  return behavior === undefined ? nested : { ...nested, spec: { ...object(nested.spec), behavior } };
}

function autoscalerToV2beta1(autoscaler: KubeObject): KubeObject {
  const { behavior } = object(autoscaler.spec);
  const annotations = isFields(behavior) ? { [BEHAVIOR]: behaviorAnnotation(behavior) } : {};
  const flat = withMetrics(withoutGenerations(withoutRoundTripAnnotations(autoscaler)), flatSpec, flatStatus);
  return withChild(withAnnotations(flat, annotations), "spec", (spec) => without(spec, ["behavior"]));
}

type Change = (metric: ReadonlyFields) => ReadonlyFields;

/** Conditions of versions before v2 do not say which generation they are of (K37-030). */
const withoutGenerations = (autoscaler: KubeObject): KubeObject =>
  withChild(autoscaler, "status", (status) =>
    withChildren(status, "conditions", (condition) => without(condition, ["observedGeneration"])),
  );

function withMetrics(autoscaler: KubeObject, specOf: Change, statusOf: Change): KubeObject {
  const changed = withChild(autoscaler, "spec", (spec) => withChildren(spec, "metrics", specOf));
  return withChild(changed, "status", (status) => withChildren(status, "currentMetrics", statusOf));
}

/** The rules of `spec.behavior` and the annotation their tolerance is kept in. */
const TOLERANCES = [
  ["scaleDown", SCALE_DOWN_TOLERANCE],
  ["scaleUp", SCALE_UP_TOLERANCE],
] as const;

/** autoscaling/v2beta2 -> autoscaling/v2: it lacks the tolerance. Throws when a tolerance in an annotation is no quantity. */
function autoscalerFromV2beta2(autoscaler: KubeObject): KubeObject {
  const annotations = autoscaler.metadata?.annotations ?? {};
  let converted = withoutRoundTripAnnotations(autoscaler);
  for (const [direction, annotation] of TOLERANCES) {
    if (!Object.hasOwn(annotations, annotation)) continue;
    const tolerance = quantityIn(annotation, text(annotations[annotation]));
    const spec = object(converted.spec);
    const behavior = object(spec.behavior);
    const rules = { ...object(behavior[direction]), tolerance };
    converted = { ...converted, spec: { ...spec, behavior: { ...behavior, [direction]: rules } } };
  }
  return converted;
}

function autoscalerToV2beta2(autoscaler: KubeObject): KubeObject {
  const { behavior } = object(autoscaler.spec);
  const annotations: Record<string, string> = {};
  let converted = withoutGenerations(withoutRoundTripAnnotations(autoscaler));
  for (const [direction, annotation] of TOLERANCES) {
    const { tolerance } = object(object(behavior)[direction]);
    if (text(tolerance) === "") continue;
    annotations[annotation] = canonicalizeQuantity(text(tolerance));
    converted = withChild(converted, "spec", (spec) =>
      withChild(spec, "behavior", (held) => withChild(held, direction, (rules) => without(rules, ["tolerance"]))),
    );
  }
  return withAnnotations(converted, annotations);
}

function quantityIn(annotation: string, value: string): string {
  try {
    return canonicalizeQuantity(value);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw new Error(`failed to parse annotation ${JSON.stringify(annotation)}: ${error.message}`, { cause: error });
  }
}
