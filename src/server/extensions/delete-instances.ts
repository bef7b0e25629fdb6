import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { ResourceInstaller } from "../api-registry/resource-installer.js";
import { loopbackScope } from "../registry/loopback-scope.js";
import { Store } from "../registry/store.js";

/**
 * Deletes all objects of a resource that `installer` has installed, as the server itself. Returns how many are left, because
 * finalizers keep them. A resource that is another's, or has another's keys, has no objects of its own.
 */
export async function deleteInstances(installer: ResourceInstaller, resource: GroupResource): Promise<number> {
  const storage = installer.kept(resource)?.storage;
  if (!(storage instanceof Store)) return 0;
  const { items } = await storage.list(loopbackScope(""), {});
  let left = 0;
  for (const item of items) {
    if (sliceIsSpent()) await nextSlice();
    // The key has what is needed: objects are not read.
    const [name = "", parent = ""] = item.key.split("/").toReversed();
    const namespace = storage.config.namespaced ? parent : "";
    try {
      const { gone } = await storage.delete(loopbackScope(namespace), name, {}, undefined);
      if (!gone) left += 1;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return left;
}
