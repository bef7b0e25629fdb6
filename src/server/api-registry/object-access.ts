import { type GroupResource, isNotFound } from "../../machinery/errors/status-error.js";
import { pathSegmentErrors } from "../../machinery/validation/names.js";
import { copyObject } from "../registry/copy.js";
import { loopbackScope } from "../registry/scope.js";
import type { Store } from "../registry/store.js";
import type { CachedObject, ObjectAccess, ObjectReader } from "../registry/strategy.js";
import type { ReadOptions, StoredObject } from "../storage/store.js";

/** Finds the storage of resources. */
export interface Stores {
  /** Throws for a resource that there is none of. */
  of(resource: GroupResource): Store;
  /** Throws for a resource that there is none of. Undefined for a built-in one that is turned off. */
  now(resource: GroupResource): Store | undefined;
}

/** Reads and writes the objects of any stored resource as the server itself. */
export function objectAccess(stores: Stores): ObjectAccess {
  const storeOf = (resource: GroupResource): Store => stores.of(resource);
  /** Finds an object by a name that may come unchecked from a client. A name that no object can have is not found. */
  async function find(
    resource: GroupResource,
    namespace: string,
    name: string,
    options: ReadOptions,
  ): Promise<StoredObject | undefined> {
    if ([namespace, name].some((part) => pathSegmentErrors(part).length > 0)) return undefined;
    try {
      return await storeOf(resource).config.objects.get(keyOf(namespace, name), options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
  const reader = (options: ReadOptions): ObjectReader => ({
    list: async (group, resource, namespace = "") => {
      const { items } = await storeOf({ group, resource }).config.objects.list(keyOf(namespace, ""), options);
      return items.map((item) => item.object());
    },
    get: async (group, resource, namespace, name) =>
      (await find({ group, resource }, namespace, name, options))?.object(),
  });
  return {
    ...reader({}),
    cached: {
      ...reader(FROM_CACHE),
      has: async (group, resource, namespace, name) =>
        (await find({ group, resource }, namespace, name, FROM_CACHE)) !== undefined,
      now: (group, resource) => {
        const store = stores.now({ group, resource });
        return store === undefined ? NONE : store.config.objects.now();
      },
    },
    create: async (group, resource, object) => {
      const scope = loopbackScope(object.metadata?.namespace ?? "");
      await storeOf({ group, resource }).create(scope, copyObject(object), {});
    },
    delete: async (group, resource, object) => {
      const { name = "", namespace = "", uid } = object.metadata ?? {};
      await storeOf({ group, resource }).delete(loopbackScope(namespace), name, { preconditions: { uid } }, undefined);
    },
  };
}

const NONE: readonly CachedObject[] = [];

const FROM_CACHE: ReadOptions = { resourceVersion: "0" };

const keyOf = (namespace: string, name: string): string => (namespace === "" ? name : `${namespace}/${name}`);
