import type { ControllerRevision } from "../../api/types/apps/v1.js";
import type { PodTemplateSpec } from "../../api/types/core/v1.js";
import { encodeJson } from "../../machinery/codec/json-encoder.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import { deepEqual } from "../../machinery/patch/json-values.js";

/** What a revision keeps: a strategic merge patch that puts the template in the place of the object's. */
export function revisionData(template: PodTemplateSpec): JsonObject {
  return { spec: { template: { ...(template as unknown as JsonObject), $patch: "replace" } } };
}

/** The data as Go's controllers write it, which is what is hashed. */
export const revisionText = (data: JsonObject): string => encodeJson(data, { sortKeys: true });

/** The template that a revision keeps; undefined for data of another form. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const spec = isJsonObject(data) ? data["spec"] : undefined;
  const template = isJsonObject(spec) ? spec["template"] : undefined;
  if (!isJsonObject(template)) return undefined;
  const { $patch: _, ...rest } = template;
  return rest as unknown as PodTemplateSpec;
}

export const hasData = (revision: ControllerRevision, data: JsonObject): boolean =>
  deepEqual(revision.data as JsonObject, data);
