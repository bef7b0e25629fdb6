import type { KubeObject } from "../../machinery/meta/object.js";

/** Replaces the content of an object in place, so that all references to it see the change. */
export function replaceObject(draft: KubeObject, next: KubeObject): void {
  for (const key of Object.keys(draft)) if (!Object.hasOwn(next, key)) delete draft[key];
  Object.assign(draft, next);
}
