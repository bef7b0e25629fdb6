import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { canonicalizeQuantity, QuantityError } from "../../../machinery/text/quantity/quantity.js";
import { withAnnotations } from "../annotations.js";
import { without } from "../copies.js";
import { withChild } from "../with-child.js";
import { SCALE_DOWN_TOLERANCE, SCALE_UP_TOLERANCE, withoutRoundTripAnnotations } from "./round-trip-annotations.js";

/** The rules of `spec.behavior` and the annotation their tolerance is kept in. */
const TOLERANCES = [
  ["scaleDown", SCALE_DOWN_TOLERANCE],
  ["scaleUp", SCALE_UP_TOLERANCE],
] as const;

/** autoscaling/v2beta2 -> autoscaling/v2: it lacks the tolerance. Throws when a tolerance in an annotation is no quantity. */
export function autoscalerFromV2beta2(autoscaler: KubeObject): KubeObject {
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

export function autoscalerToV2beta2(autoscaler: KubeObject): KubeObject {
  const { behavior } = object(autoscaler.spec);
  const annotations: Record<string, string> = {};
  let converted = withoutRoundTripAnnotations(autoscaler);
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
