import type { KubeObject } from "../../machinery/meta/object.js";

/** Makes an object what another one is. Who holds it sees the change. */
export function replaceObject(draft: KubeObject, next: KubeObject): void {
  for (const key of Object.keys(draft)) if (!Object.hasOwn(next, key)) delete draft[key];
  Object.assign(draft, next);
}
