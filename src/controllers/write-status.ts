import type { ResourceClient } from "../client/dynamic/resource-client.js";
import { deepEqual } from "../machinery/patch/json-values.js";
import type { JsonObject } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";

/** Writes a status that differs from the object's. Answers the object as the server has it then; undefined where it has this status already. */
export async function writeStatus<T extends Pick<KubeObject, "metadata"> & { readonly status?: object }>(
  objects: Pick<ResourceClient<T>, "updateStatus">,
  object: T,
  status: NonNullable<T["status"]>,
): Promise<T | undefined> {
  if (deepEqual((object.status ?? {}) as JsonObject, status as JsonObject)) return undefined;
  return objects.updateStatus({ ...object, status });
}
