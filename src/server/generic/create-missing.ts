import { setTimeout } from "node:timers/promises";
import { isAlreadyExists, isNotFound, isStatusError } from "../../machinery/errors/status-error.js";
import { isJsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { ApiSnapshot } from "../api-registry/api-registry.js";
import { UnavailableError } from "../storage/kv.js";
import type { StoredObject } from "../storage/store.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { copyObject } from "../registry/copy.js";
import {
  ADMITTED,
  type Creater,
  type Getter,
  type GracefulDeleter,
  type Lister,
  type Updater,
} from "../registry/resource.js";
import { type RequestScope, loopbackScope } from "../registry/scope.js";

/** Creates the objects that do not exist and leaves the existing ones unchanged. It skips those that {@link withoutSwitchedOff} removes. */
export const createMissing = (api: ApiSnapshot, objects: readonly KubeObject[]): Promise<void> =>
  untilAnswered(() => createEach(api, withoutSwitchedOff(api, objects)));

/** Returns the objects without those of group versions that runtimeConfig disables. The core group is never disabled. */
export function withoutSwitchedOff(api: ApiSnapshot, objects: readonly KubeObject[]): readonly KubeObject[] {
  const served = new Set(api.served.resources.map(({ groupVersion }) => groupVersion));
  return objects.filter(({ apiVersion = "" }) => apiVersion === "v1" || served.has(apiVersion));
}

async function createEach(api: ApiSnapshot, objects: readonly KubeObject[]): Promise<void> {
  const target = targetsIn(api);
  const lists = new Map<string, Promise<ReadonlySet<string>>>();
  // One list per collection is cheaper than a hundred GETs that answer NotFound.
  const namesBeside = (object: KubeObject): Promise<ReadonlySet<string>> => {
    const id = `${object.apiVersion}/${object.kind}/${object.metadata?.namespace ?? ""}`;
    const known = lists.get(id) ?? namesIn(target(object));
    lists.set(id, known);
    return known;
  };
  const ensure = async (object: KubeObject): Promise<void> => {
    if ((await namesBeside(object)).has(object.metadata?.name ?? "")) return;
    const { storage, scope, hub } = target(object);
    try {
      await storage.create(scope, await hub(), {});
    } catch (error) {
      // Another server on the same storage may have created it at the same time.
      if (!isAlreadyExists(error)) throw error;
    }
  };
  await Promise.all(objects.map(ensure));
}

/** As {@link createMissing}; it also updates the given fields, except metadata, on objects that exist. */
export async function createOrAdjust(api: ApiSnapshot, objects: readonly KubeObject[]): Promise<void> {
  const target = targetsIn(api);
  const ensure = async (object: KubeObject): Promise<void> => {
    const { storage, scope, hub } = target(object);
    const change = async (current: StoredObject | undefined) => adjusted(current?.object() ?? {}, await hub());
    try {
      const name = object.metadata?.name ?? "";
      // The GET throws NotFound for a missing object. An update alone would create objects of some kinds.
      await storage.get(scope, name, {});
      await storage.update(scope, name, change, { trusted: true, admit: ADMITTED });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await createMissing(api, [object]);
    }
  };
  await Promise.all(withoutSwitchedOff(api, objects).map((object) => patiently(() => ensure(object))));
}

/**
 * Retries for a second. A server that starts at the same time on the same storage may conflict until it has created its
 * objects.
 */
async function patiently(attempt: () => Promise<void>): Promise<void> {
  for (let left = 10; ; left--) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await setTimeout(100);
    }
  }
}

/** How often a store is asked that does not answer in time: a busy one, or one that chooses its leader. */
const ATTEMPTS = 3;

/** Repeats idempotent work if the store has not answered in time, so that a start need not fail. */
export async function untilAnswered(work: () => Promise<void>): Promise<void> {
  for (let left = ATTEMPTS - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnavailableError) || left === 0) throw error;
    }
  }
}

/** The storage and the scope of an object. `hub` returns a fresh copy in the hub's version. */
export interface ObjectPlace {
  readonly storage: Getter & Lister & Creater & Updater & GracefulDeleter;
  readonly scope: RequestScope;
  readonly hub: () => KubeObject | Promise<KubeObject>;
}

export function targetsIn(api: ApiSnapshot): (object: KubeObject) => ObjectPlace {
  const plurals = new Map(
    api.served.resources.map(({ groupVersion, kind, name }) => [`${groupVersion}/${kind}`, name]),
  );
  return (object) => {
    const { apiVersion = "", kind = "", metadata = {} } = object;
    const resource = api.find(apiVersion, plurals.get(`${apiVersion}/${kind}`) ?? "");
    const { get, list, create, update, delete: remove } = resource?.storage ?? {};
    if (
      resource === undefined ||
      get === undefined ||
      list === undefined ||
      create === undefined ||
      update === undefined ||
      remove === undefined
    ) {
      throw new Error(`no resource for ${apiVersion} ${kind}`);
    }
    const { storage, codec } = resource;
    return {
      storage: {
        get: get.bind(storage),
        list: list.bind(storage),
        create: create.bind(storage),
        update: update.bind(storage),
        delete: remove.bind(storage),
      },
      scope: loopbackScope(metadata.namespace ?? ""),
      hub: () => codec.toHub(codec.decodePatched(copyObject(object) as JsonValue, "Ignore").object),
    };
  };
}

/** The names that are taken. Where an object cannot be read, a list may be refused as a whole: then each create says whether its name is taken. */
async function namesIn({ storage, scope }: ObjectPlace): Promise<ReadonlySet<string>> {
  try {
    const { items } = await storage.list(scope, {});
    return new Set(items.flatMap(nameOf));
  } catch (error) {
    if (!isStatusError(error) || error.code !== 500) throw error;
    return new Set();
  }
}

/** Nothing for an object that cannot be read: it hides no other, and the storage refuses to create one of its name. */
function nameOf(item: StoredObject): readonly string[] {
  try {
    return [item.object().metadata?.name ?? ""];
  } catch {
    return [];
  }
}

function adjusted(current: KubeObject, wanted: KubeObject): KubeObject {
  const draft = copyObject(current);
  for (const [field, value] of Object.entries(wanted)) {
    if (field === "metadata") continue;
    const before = draft[field];
    draft[field] = isJsonObject(value) && isJsonObject(before) ? { ...before, ...value } : value;
  }
  return draft;
}
