import { isConflict, isNotFound } from "../machinery/errors/status-error.js";

/**
 * What work answers that writes an object; undefined where the object was deleted, or changed since the cache saw it: the change reconciles
 * the object again.
 */
export async function unlessChanged<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined;
    throw error;
  }
}
