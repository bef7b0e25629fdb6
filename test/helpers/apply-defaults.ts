import { defaulterOf } from "../../src/api/defaults/index.js";
import type { GroupVersionKind } from "../../src/machinery/meta/gvk.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";

/** Applies the defaults of a kind that depend on other fields, in place, and returns the object. */
export function applyDefaults({ group, kind }: GroupVersionKind, object: KubeObject): KubeObject {
  defaulterOf(group, kind)?.(object, Date.now());
  return object;
}
