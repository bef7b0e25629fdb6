import { defaulterOf } from "../../api/defaults/index.js";
import { type ResourceFacts, type RuntimeConfig, servedResources } from "../../api/facts/index.js";
import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import { type GroupResource, isNotFound } from "../../machinery/errors/status-error.js";
import type { Scheme, VersionedKind } from "../../machinery/scheme/scheme.js";
import { pathSegmentErrors } from "../../machinery/validation/names.js";
import type { Admission } from "../admission/admission.js";
import { VersionCodec } from "../endpoints/representation/version-codec.js";
import { partsOf, recordId, type ResourceRecord } from "../endpoints/resource-record.js";
import type { ServedResource } from "../endpoints/served-resource.js";
import { type ResolvedStrategy, resolveStrategy } from "../registry/default-strategy.js";
import { copyObject } from "../registry/copy.js";
import { type InternalKind, InternalObject, internalCodec } from "../registry/internal-object.js";
import type { ResourceStorage } from "../registry/resource.js";
import type { ObjectAccess, ObjectReader } from "../registry/strategy.js";
import { Store } from "../registry/store.js";
import type { Storage } from "../storage/create-storage.js";
import type { ReadOptions, StoredObject } from "../storage/store.js";
import { loopbackScope } from "./loopback.js";
import { storageCodec } from "./storage-codec.js";

export interface ResourceMapConfig {
  readonly storage: Storage;
  readonly records: readonly ResourceRecord[];
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  /** As {@link ServedResource.random}. */
  readonly requestRandom: Random;
  readonly runtimeConfig: RuntimeConfig;
  /** Holds every version that is served or may be stored. */
  readonly scheme: Scheme;
}

/** All built-in resources that a server serves. Each is built when it is first used. */
export class ResourceMap {
  readonly #config: ResourceMapConfig;
  readonly #facts = new Map<string, ResourceFacts>();
  readonly #records: ReadonlyMap<string, ResourceRecord>;
  readonly #served = new Map<string, ServedResource>();
  readonly #keptResources = new Map<string, KeptResource>();
  readonly #internal = new Map<string, InternalObject>();

  constructor(config: ResourceMapConfig) {
    this.#config = config;
    this.#records = new Map(config.records.map((record) => [recordId(record), record]));
    for (const facts of servedResources(config.runtimeConfig))
      this.#facts.set(`${facts.groupVersion}/${facts.name}`, facts);
  }

  /** The facts of all served resources, by group version in discovery's order. */
  facts(): Iterable<ResourceFacts> {
    return this.#facts.values();
  }

  /** Finds a served resource by "apps/v1" and "deployments". */
  find(groupVersion: string, resource: string): ServedResource | undefined {
    const id = `${groupVersion}/${resource}`;
    let served = this.#served.get(id);
    if (served !== undefined) return served;
    const facts = this.#facts.get(id);
    if (facts === undefined) return undefined;
    served = this.#serve(facts);
    this.#served.set(id, served);
    return served;
  }

  /** Reads and writes other resources, for strategies. */
  readonly access: ObjectAccess = {
    ...this.#reader({}),
    cached: {
      ...this.#reader(FROM_CACHE),
      has: async (group, resource, namespace, name) =>
        (await this.#find({ group, resource }, namespace, name, FROM_CACHE)) !== undefined,
    },
    create: async (group, resource, object) => {
      const store = this.#store(`${group}/${resource}`);
      await store.create(loopbackScope(object.metadata?.namespace ?? ""), copyObject(object), admitted);
    },
    delete: async (group, resource, object) => {
      const store = this.#store(`${group}/${resource}`);
      const { name = "", namespace = "", uid } = object.metadata ?? {};
      await store.delete(loopbackScope(namespace), name, { preconditions: { uid } }, admitted);
    },
  };

  /** The shared object of an internal kind; the same instance for the same kind. */
  readonly internal = (kind: InternalKind): InternalObject => {
    const path = kind.prefix + kind.key;
    let object = this.#internal.get(path);
    if (object === undefined) {
      const { prefix, resource } = kind;
      object = new InternalObject(
        this.#config.storage.storeFor({ prefix, resource, codec: internalCodec(kind) }),
        kind.key,
      );
      this.#internal.set(path, object);
    }
    return object;
  };

  #reader(options: ReadOptions): ObjectReader {
    return {
      list: async (group, resource, namespace = "") => {
        const store = this.#store(`${group}/${resource}`);
        const { items } = await store.config.objects.list(keyOf(namespace, ""), options);
        return items.map((item) => item.object());
      },
      get: async (group, resource, namespace, name) =>
        (await this.#find({ group, resource }, namespace, name, options))?.object(),
    };
  }

  /** Finds an object by a name that may come unchecked from a client. A name that no object can have is not found. */
  async #find(
    { group, resource }: GroupResource,
    namespace: string,
    name: string,
    options: ReadOptions,
  ): Promise<StoredObject | undefined> {
    if ([namespace, name].some((part) => pathSegmentErrors(part).length > 0)) return undefined;
    const store = this.#store(`${group}/${resource}`);
    try {
      return await store.config.objects.get(keyOf(namespace, name), options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #serve(facts: ResourceFacts): ServedResource {
    const { group, name } = facts;
    const { hub, strategy, storage } = this.#kept(`${group}/${name}`);
    const { admission, clock, scheme, requestRandom } = this.#config;
    const now = () => clock.now();
    return {
      facts,
      codec: new VersionCodec(scheme.kind(facts), hub, scheme, now),
      storage,
      record: this.#records.get(`${group}/${name}`),
      strategy,
      admission,
      now,
      random: requestRandom,
    };
  }

  /** The generic Store of a resource. Throws for a resource that has another storage. */
  #store(id: string): Store {
    const { storage } = this.#kept(id);
    if (!(storage instanceof Store)) throw new Error(`${id} is not kept in the store`);
    return storage;
  }

  #kept(id: string): KeptResource {
    let kept = this.#keptResources.get(id);
    if (kept !== undefined) return kept;
    const sharedWith = this.#records.get(id)?.storage?.sharedWith;
    kept = sharedWith === undefined ? this.#keep(id) : this.#kept(sharedWith);
    this.#keptResources.set(id, kept);
    return kept;
  }

  #keep(id: string): KeptResource {
    // Those of any version will do: the storage does not depend on it.
    const facts = [...this.#facts.values()].find(({ group, name }) => `${group}/${name}` === id);
    if (facts === undefined) throw new Error(`no resource ${id}`);
    const { storage, clock, random, scheme } = this.#config;
    const { group, name: resource, kind, namespaced } = facts;
    const record = this.#records.get(id);
    const applyDefaults = defaulterOf(group, kind);
    const strategy = resolveStrategy({ ...(applyDefaults && { applyDefaults }), ...record?.strategy });
    const hub = scheme.kind(scheme.kind(facts).hub);
    const own = record?.storage?.open?.();
    if (own !== undefined) return { hub, strategy, storage: own };
    const codec = storageCodec(scheme, hub, strategy, clock);
    const objects = storage.storeFor({ prefix: prefixOf(facts, record), resource: { group, resource }, codec });
    const store = new Store({
      group,
      resource,
      kind,
      namespaced,
      hasStatus: facts.subresources.some(({ name }) => name === "status"),
      strategy,
      parts: partsOf(record),
      objects,
      encode: (object) => codec.encode(object),
      clock,
      random,
      access: this.access,
      internal: this.internal,
    });
    return { hub, strategy, storage: store };
  }
}

const FROM_CACHE: ReadOptions = { resourceVersion: "0" };

const keyOf = (namespace: string, name: string): string => (namespace === "" ? name : `${namespace}/${name}`);

const admitted = () => Promise.resolve();

interface KeptResource {
  readonly hub: VersionedKind;
  readonly strategy: ResolvedStrategy;
  readonly storage: ResourceStorage;
}

/** "/registry/pods/", "/registry/apps/deployments/". The group keeps apart resources of the same plural. */
function prefixOf({ group, name }: ResourceFacts, record: ResourceRecord | undefined): string {
  const prefix = record?.storage?.prefix ?? (group === "" ? name : `${group}/${name}`);
  return `/registry/${prefix}/`;
}
