import type { KubeObject } from "../../../machinery/meta/object.js";
import { withoutAnnotations } from "../copies.js";
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
import type { Schema, StructSchema } from "../../../machinery/schema/schema.js";
import { encodeObjectText } from "../../../machinery/wire/encode.js";
import { decodeObject, UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import { structOf } from "../../facts/newest-release.js";

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

/** A copy with the fields that Go writes of the type, in Go's order: for JSON within an annotation. */
export function inOrderOf(definition: string, value: ReadonlyFields): unknown {
  return JSON.parse(encodeObjectText(value, typeOf(definition)));
}

/** Objects as Go reads them into the type; undefined when one does not fit, as Go then has none of them. */
export function asType(definition: string, values: readonly ReadonlyFields[]): ReadonlyFields[] | undefined {
  try {
    return values.map((value) => decodeObject(value, typeOf(definition), { mode: "Ignore" }).object);
  } catch (error) {
    if (error instanceof UnmarshalError) return undefined;
    throw error;
  }
}

/** Throws when the API facts lack the definition. */
function typeOf(definition: string): StructSchema {
  const struct = structOf(definition);
  if (struct === undefined) throw new Error(`the API facts lack ${definition}`);
  return struct;
}
