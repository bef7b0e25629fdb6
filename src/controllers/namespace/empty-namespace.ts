import { isConflict, isMethodNotSupported, isNotFound } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Api } from "../api.js";

/**
 * Deletes everything in a namespace that is being deleted, then takes off the finalizer "kubernetes". Answers false
 * when something is still there (a finalizer or a grace period holds it): come back later.
 */
export async function emptyNamespace(api: Api, namespace: KubeObject, resources: readonly string[]): Promise<boolean> {
  const name = namespace.metadata?.name ?? "";
  let left = 0;
  for (const collection of resources) left += await emptyCollection(api, collection.replace("*", name));
  if (left > 0) return false;
  await finalize(api, name);
  return true;
}

async function emptyCollection(api: Api, path: string): Promise<number> {
  try {
    const { items } = await api.list(path);
    if (items.length === 0) return 0;
    await api.delete(path, { propagationPolicy: "Background" });
    return (await api.list(path)).items.length;
  } catch (error) {
    if (isNotFound(error) || isMethodNotSupported(error)) return 0;
    throw error;
  }
}

async function finalize(api: Api, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  try {
    const current = await api.get(path);
    const spec = (current["spec"] ?? {}) as JsonObject;
    const finalizers = Array.isArray(spec["finalizers"]) ? spec["finalizers"] : [];
    await api.update(`${path}/finalize`, {
      ...current,
      spec: { ...spec, finalizers: finalizers.filter((one) => one !== "kubernetes") },
    });
  } catch (error) {
    // Gone, or changed meanwhile: the change brings us back.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Where the objects of each namespaced resource are listed, "*" standing for the namespace: from discovery. */
export async function namespacedCollections(api: Api): Promise<readonly string[]> {
  const core = await api.get("/api/v1");
  const groups = ((await api.get("/apis"))["groups"] ?? []) as readonly {
    readonly preferredVersion: { readonly groupVersion: string };
  }[];
  const paths = collectionsOf("/api/v1", core);
  for (const { preferredVersion } of groups) {
    const root = `/apis/${preferredVersion.groupVersion}`;
    paths.push(...collectionsOf(root, await api.get(root)));
  }
  return paths;
}

function collectionsOf(root: string, list: KubeObject): string[] {
  const resources = (list["resources"] ?? []) as readonly {
    readonly name: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
  return resources
    .filter(({ name, namespaced, verbs }) => namespaced && !name.includes("/") && verbs.includes("deletecollection"))
    .map(({ name }) => `${root}/namespaces/*/${name}`);
}
