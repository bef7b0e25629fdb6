import type { ResourceClient } from "../client/dynamic/resource-client.js";
import { isAlreadyExists, isForbidden, isNotFound } from "../machinery/errors/status-error.js";
import type { ApiObject } from "../machinery/meta/object.js";

/** Creates an object unless it exists. Does nothing where its namespace is absent or being deleted. */
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
