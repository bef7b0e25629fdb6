import type { KubeObject } from "../../machinery/meta/object.js";

/**
 * Returns a copy without its resourceVersion. A patch that is computed from the copy then sets the resourceVersion, which makes it
 * conditional.
 */
export function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _old, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** Returns a copy with the given resourceVersion; the object itself when that is "". */
export function withVersion(object: KubeObject, resourceVersion: string): KubeObject {
  return resourceVersion === "" ? object : { ...object, metadata: { ...object.metadata, resourceVersion } };
}
