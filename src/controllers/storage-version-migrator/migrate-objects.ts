import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isConflict } from "../../machinery/errors/status-error.js";
import type { ServedResource } from "../served-resources.js";
import { isOlder } from "./migration-status.js";

/** A namespace that no cluster has: the list of its objects has the store's revision and nothing else. */
const EMPTY_NAMESPACE = "@fake:svm_ns!";

/** The resource version as of now, from which on objects are stored in the current version. */
export async function currentVersion(client: KubernetesClient, resource: ServedResource): Promise<string> {
  const objects = client.resource(resource).metadata();
  const listed = resource.namespaced ? objects.namespace(EMPTY_NAMESPACE) : objects;
  return (await listed.list({ limit: 1 })).metadata?.resourceVersion ?? "";
}

/**
 * Has the server write again each object that was last written before `start`, by an apply of nothing. One that changes
 * meanwhile is written in the current version by that change.
 */
export async function migrateObjects(
  client: KubernetesClient,
  resource: ServedResource,
  start: string,
  { fieldManager, signal }: { readonly fieldManager: string; readonly signal: AbortSignal },
): Promise<void> {
  const objects = client.resource(resource);
  const { apiVersion, kind } = resource;
  for await (const { metadata } of objects.metadata().listAll({ signal })) {
    const { namespace = "", name, uid, resourceVersion } = metadata ?? {};
    if (!isOlder(resourceVersion, start)) continue;
    const own = resource.namespaced ? objects.namespace(namespace) : objects;
    try {
      const patch = { apiVersion, kind, metadata: { uid, resourceVersion } };
      await own.patch(name, patch, { type: "apply", fieldManager, signal });
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}
