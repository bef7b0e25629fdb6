import { isConflict, isMethodNotSupported, isNotFound } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Api } from "../api.js";

/**
 * Deletes everything in a namespace that is being deleted, then takes off the finalizer "kubernetes". Answers false
 * when something is still there (a finalizer or a grace period holds it): come back later. A new namespace of the same
 * name is left alone.
 */
export async function emptyNamespace(api: Api, namespace: KubeObject, resources: readonly string[]): Promise<boolean> {
  const { name = "", uid } = namespace.metadata ?? {};
  if (!(await isThere(api, name, uid))) return true;
  let empty = true;
  for (const collection of resources) empty = (await emptyCollection(api, collection.replace("*", name))) && empty;
  if (empty) await finalize(api, name, uid);
  return empty;
}

async function isThere(api: Api, name: string, uid: string | undefined): Promise<boolean> {
  try {
    return (await api.get(`/api/v1/namespaces/${name}`)).metadata?.uid === uid;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Whether nothing is left. */
async function emptyCollection(api: Api, path: string): Promise<boolean> {
  try {
    if (!(await holdsAnything(api, path))) return true;
    await api.delete(path, { propagationPolicy: "Background" });
    return !(await holdsAnything(api, path));
  } catch (error) {
    if (isNotFound(error) || isMethodNotSupported(error)) return true;
    throw error;
  }
}

async function holdsAnything(api: Api, path: string): Promise<boolean> {
  return (await api.list(`${path}?limit=1`)).items.length > 0;
}

/** Nothing new can come into the namespace any more, so a change of it by somebody else only means to try again. */
async function finalize(api: Api, name: string, uid: string | undefined): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  for (;;) {
    try {
      const current = await api.get(path);
      if (current.metadata?.uid !== uid) return;
      const spec = (current["spec"] ?? {}) as JsonObject;
      const finalizers = Array.isArray(spec["finalizers"]) ? spec["finalizers"] : [];
      await api.update(`${path}/finalize`, {
        ...current,
        spec: { ...spec, finalizers: finalizers.filter((one) => one !== "kubernetes") },
      });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
    }
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
