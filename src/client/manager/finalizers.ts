import type { ApiObject } from "../../machinery/meta/object.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { PatchOf } from "../dynamic/patches.js";
import type { ResourceClient } from "../dynamic/resource-client.js";
import type { Stored } from "../dynamic/stored.js";

/**
 * Adds a finalizer to an object that is not being deleted, unless it has it: the API server keeps the object until the finalizer is removed. The write fails
 * with a Conflict if the object was changed since it was read. Resolves with the object as it is then.
 */
export async function addFinalizer<T extends ApiObject>(
  client: ResourceClient<T>,
  object: Stored<T>,
  finalizer: string,
): Promise<Stored<T>> {
  const { finalizers = [], deletionTimestamp } = object.metadata ?? {};
  if (finalizers.includes(finalizer) || deletionTimestamp !== undefined) return object;
  return patchFinalizers(client, object, [...finalizers, finalizer]);
}

/** Removes a finalizer, so that the API server removes an object that is being deleted. An object that is gone is no error. */
export async function removeFinalizer<T extends ApiObject>(
  client: ResourceClient<T>,
  object: Stored<T>,
  finalizer: string,
): Promise<void> {
  const { finalizers = [] } = object.metadata ?? {};
  if (!finalizers.includes(finalizer)) return;
  const others = finalizers.filter((one) => one !== finalizer);
  await patchFinalizers(client, object, others).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

function patchFinalizers<T extends ApiObject>(
  client: ResourceClient<T>,
  { metadata }: Stored<T>,
  finalizers: readonly string[],
): Promise<Stored<T>> {
  const { name = "", namespace, resourceVersion } = metadata ?? {};
  const place = namespace === undefined ? client : client.namespace(namespace);
  const patch = { metadata: { finalizers, resourceVersion } } as PatchOf<T, "merge">;
  return place.patch(name, patch, { type: "merge" });
}
