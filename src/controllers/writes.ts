import type { ResourceClient } from "../client/dynamic/resource-client.js";
import { isAlreadyExists, isForbidden, isNotFound, isConflict } from "../machinery/errors/status-error.js";
import type { ApiObject, KubeObject } from "../machinery/meta/object.js";
import { deepEqual } from "../machinery/patch/json-values.js";

/** Creates an object unless it exists. Does nothing where its namespace does not exist or is being deleted. */
export async function ensure<T extends ApiObject>(client: ResourceClient<T>, object: T): Promise<void> {
  const { namespace = "", name = "" } = object.metadata ?? {};
  const resource = client.namespace(namespace);
  try {
    await resource.get(name);
    return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  try {
    await resource.create(object);
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error) && !isForbidden(error)) throw error;
  }
}

/** Resolves with the result of a request; undefined when the server answers NotFound. */
export async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Resolves with the result of a write; undefined where the object was deleted, or changed since the cache saw it. The change
 * triggers another reconciliation.
 */
export async function unlessChanged<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined;
    throw error;
  }
}

/** Writes a status if it differs from the object's. Resolves with the object after the write; undefined where nothing was written. */
export async function writeStatus<T extends Pick<KubeObject, "metadata"> & { readonly status?: object }>(
  objects: Pick<ResourceClient<T>, "updateStatus">,
  object: T,
  status: NonNullable<T["status"]>,
): Promise<T | undefined> {
  if (deepEqual(object.status ?? {}, status)) return undefined;
  return objects.updateStatus({ ...object, status });
}
