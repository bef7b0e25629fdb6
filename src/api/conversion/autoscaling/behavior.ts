import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import {
  absent,
  type Fields,
  isFields,
  list,
  object,
  objects,
  type ReadonlyFields,
  text,
} from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Schema, StructSchema } from "../../../machinery/schema/schema.js";
import { annotatedJson, BEHAVIOR } from "./round-trip-annotations.js";
import { asType, typeOf } from "./go-order.js";

/**
 * `spec.behavior` as the versions without it keep it in an annotation: the JSON of Kubernetes' internal type, whose fields
 * have Go's names and are never left out.
 */
export function behaviorAnnotation(behavior: ReadonlyFields): string {
  return encodeJson({ ScaleUp: internalRules(behavior.scaleUp), ScaleDown: internalRules(behavior.scaleDown) });
}

/** The inverse; undefined where there is no such annotation, where it does not fit the type, or says nothing. */
export function annotatedBehavior(autoscaler: KubeObject): ReadonlyFields | undefined {
  const internal = annotatedJson(autoscaler, BEHAVIOR);
  if (!isFields(internal)) return undefined;
  const [behavior] = asType(BEHAVIOR_TYPE, [byJsonNames(internal, typeOf(BEHAVIOR_TYPE))]) ?? [];
  return behavior === undefined || Object.keys(behavior).length === 0 ? undefined : behavior;
}

const BEHAVIOR_TYPE = "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior";

function internalRules(rules: unknown): Fields | null {
  if (!isFields(rules)) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: absent(rules.policies) ? null : objects(rules.policies).map(internalPolicy),
    Tolerance: rules.tolerance ?? null,
  };
}

function internalPolicy({ type, value, periodSeconds }: ReadonlyFields): Fields {
  return { Type: text(type), Value: value ?? 0, PeriodSeconds: periodSeconds ?? 0 };
}

/** The internal type's fields are those of v2 in another case, and Go reads names in any case. */
function byJsonNames(value: ReadonlyFields, { fields }: StructSchema): Fields {
  const byName = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
  const renamed: Fields = {};
  for (const [name, item] of Object.entries(value)) {
    const field = byName.get(name.toLowerCase());
    if (field !== undefined) renamed[field.name] = renamedValue(item, field.schema);
  }
  return renamed;
}

function renamedValue(value: unknown, schema: Schema): unknown {
  if (schema.type === "struct" && isFields(value)) return byJsonNames(object(value), schema);
  if (schema.type === "list" && Array.isArray(value))
    return list(value).map((item) => renamedValue(item, schema.items));
  return value;
}
