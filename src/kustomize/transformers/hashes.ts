import { BUILD } from "../annotations.js";
import { contentHashOf } from "../hash.js";
import type { ResourceList } from "../resource-list.js";

/** Puts the hash of its content behind the name of each generated object that is to have one. */
export function addHashes(list: ResourceList): void {
  for (const resource of list.resources) {
    if (!resource.isEnabled(BUILD.needsHashSuffix)) continue;
    const hash = contentHashOf(resource);
    resource.storePreviousId();
    resource.name = `${resource.name}-${hash}`;
  }
}
