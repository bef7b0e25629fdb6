import { isAlreadyExists, isForbidden, isNotFound } from "../machinery/errors/status-error.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { Api } from "./api.js";

/** Creates an object of a namespace unless it is there, or the namespace is going away. */
export async function ensure(api: Api, collection: string, object: KubeObject): Promise<void> {
  try {
    await api.get(`${collection}/${object.metadata?.name ?? ""}`);
    return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  try {
    await api.create(collection, object);
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error) && !isForbidden(error)) throw error;
  }
}

export function isTerminating(namespace: KubeObject): boolean {
  return namespace.metadata?.deletionTimestamp !== undefined;
}
