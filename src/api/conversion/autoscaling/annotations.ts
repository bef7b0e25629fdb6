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

/** The annotation that carries the metrics for which a version of HorizontalPodAutoscaler has no fields. The hub never has it. */
export const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
export const CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics";
export const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
export const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";
export const SCALE_DOWN_TOLERANCE = "autoscaling.alpha.kubernetes.io/scale-down-tolerance";
export const SCALE_UP_TOLERANCE = "autoscaling.alpha.kubernetes.io/scale-up-tolerance";

const ALL = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR, SCALE_DOWN_TOLERANCE, SCALE_UP_TOLERANCE];

/** Removes the annotations that carry fields between versions: a conversion ignores those that the object had before. */
export function withoutRoundTripAnnotations(autoscaler: KubeObject): KubeObject {
  return withoutAnnotations(autoscaler, ALL);
}

/** Parses the JSON of an annotation; undefined where it is absent or invalid. Kubernetes ignores an invalid one, too. */
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
 * Encodes `spec.behavior` for the annotation of versions that lack the field: the JSON of Kubernetes' internal type, whose fields
 * have Go's names and are never omitted.
 */
export function behaviorAnnotation(behavior: ReadonlyFields): string {
  return encodeJson({ ScaleUp: internalRules(behavior.scaleUp), ScaleDown: internalRules(behavior.scaleDown) });
}

/** Reads `behavior` back from its annotation; undefined where the annotation is absent, does not fit the type, or is empty. */
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

/** Returns a copy with the fields that Go encodes for the type, in Go's order, for the JSON in an annotation. */
export function inOrderOf(definition: string, value: ReadonlyFields): unknown {
  return JSON.parse(encodeObjectText(value, typeOf(definition)));
}

/** Decodes objects into the type as Go does. Undefined when one does not fit: Go then drops all of them. */
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
