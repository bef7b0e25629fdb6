import type { KubeObject } from "../../machinery/meta/object.js";

/** A copy without its version: a patch computed from it says which version it is for. */
export function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _old, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** A copy of the version given; the object itself when that is "". */
export function withVersion(object: KubeObject, resourceVersion: string): KubeObject {
  return resourceVersion === "" ? object : { ...object, metadata: { ...object.metadata, resourceVersion } };
}
