import type { ControllerRevision } from "../../api/types/apps/v1.js";
import type { PodTemplateSpec } from "../../api/types/core/v1.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { deepEqual } from "../../machinery/patch/json-values.js";

/**
 * The data of a revision: a strategic merge patch that replaces the object's template. Its keys are sorted, as in Go's encoding of
 * a map: `kubectl rollout undo` sends the stored patch unchanged.
 */
export function revisionData(template: PodTemplateSpec): JsonObject {
  return { spec: { template: withSortedKeys({ ...template, $patch: "replace" }) } };
}

function withSortedKeys(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value as JsonValue;
  const entries = Object.entries(value).sort(([a], [b]) => compareKeys(a, b));
  return Object.fromEntries(entries.map(([key, one]) => [key, withSortedKeys(one)]));
}

/** The data as Go's controllers encode it, from which the hash is computed. */
export const revisionText = (data: JsonObject): string => encodeJson(data, { sortKeys: true });

/** The template that a revision keeps; undefined for data of another form. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const spec = isJsonObject(data) ? data["spec"] : undefined;
  const template = isJsonObject(spec) ? spec["template"] : undefined;
  if (!isJsonObject(template)) return undefined;
  const { $patch: _, ...rest } = template;
  return rest;
}

export const hasData = (revision: ControllerRevision, data: JsonObject): boolean => deepEqual(revision.data, data);
