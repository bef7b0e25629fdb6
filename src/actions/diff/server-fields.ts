import { LAST_APPLIED } from "../apply/last-applied.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/**
 * The object without what no manifest sets: its status, and of its metadata the identity, the versions, the times, who wrote
 * what, and what apply noted when it wrote last.
 */
export function withoutServerFields(object: KubeObject): KubeObject {
  const { status: _status, ...rest } = object;
  if (object.metadata === undefined) return rest;
  const {
    uid: _uid,
    resourceVersion: _resourceVersion,
    generation: _generation,
    creationTimestamp: _creationTimestamp,
    managedFields: _managedFields,
    annotations: { [LAST_APPLIED]: _applied, ...annotations } = {},
    ...metadata
  } = object.metadata;
  return { ...rest, metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations } };
}
