import { type ResourceFacts, type RuntimeConfig, servedResources } from "../../api/facts/index.js";
import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import { type GroupResource, isNotFound } from "../../machinery/errors/status-error.js";
import type { Scheme, VersionedKind } from "../../machinery/scheme/scheme.js";
import { pathSegmentErrors } from "../../machinery/validation/names.js";
import type { Admission } from "../admission/admission.js";
import { VersionCodec } from "../endpoints/representation/version-codec.js";
import type { StorageMediaType } from "../endpoints/serializers/serializer.js";
import type { ServedResource } from "../endpoints/served-resource.js";
import { type ResolvedStrategy, resolveStrategy } from "../registry/default-strategy.js";
import { copyObject } from "../registry/copy.js";
import { type InternalKind, InternalObject, internalCodec } from "../registry/internal-object.js";
import type { ObjectAccess, ObjectReader, StrategyLookup } from "../registry/strategy.js";
import { Store } from "../registry/store.js";
import type { Storage } from "../storage/create-storage.js";
import type { ReadOptions, StoredObject } from "../storage/store.js";
import { keyPrefix } from "./key-prefix.js";
import { loopbackScope } from "./loopback.js";
import { internalStorageCodec, storageCodec } from "./storage-codec.js";

export interface ResourceMapConfig {
  readonly storage: Storage;
  readonly strategies: StrategyLookup;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  /** As {@link ServedResource.random}. */
  readonly requestRandom: Random;
  readonly runtimeConfig: RuntimeConfig;
  /** The form that objects are stored in. */
  readonly storageMediaType: StorageMediaType;
  /** Holds every version that is served or may be stored. */
  readonly scheme: Scheme;
}

/** Resources that share the storage of another resource, by "<group>/<resource>". */
const KEPT_AS: Readonly<Record<string, string>> = { "events.k8s.io/events": "/events" };

/** All built-in resources that a server serves. Each is built when it is first used. */
export class ResourceMap {
  readonly #config: ResourceMapConfig;
  readonly #facts = new Map<string, ResourceFacts>();
  readonly #served = new Map<string, ServedResource>();
  readonly #stores = new Map<string, KeptResource>();
  readonly #internal = new Map<string, InternalObject>();

  constructor(config: ResourceMapConfig) {
    this.#config = config;
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
      const { store } = this.#kept(`${group}/${resource}`);
      await store.create(loopbackScope(object.metadata?.namespace ?? ""), copyObject(object), admitted);
    },
    delete: async (group, resource, object) => {
      const { store } = this.#kept(`${group}/${resource}`);
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
      const { scheme, clock, storageMediaType: mediaType } = this.#config;
      const codec = internalStorageCodec({ scheme, clock, mediaType }, kind, internalCodec(kind));
      object = new InternalObject(this.#config.storage.storeFor({ prefix, resource, codec }), kind.key);
      this.#internal.set(path, object);
    }
    return object;
  };

  #reader(options: ReadOptions): ObjectReader {
    return {
      list: async (group, resource, namespace = "") => {
        const { store } = this.#kept(`${group}/${resource}`);
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
    const { store } = this.#kept(`${group}/${resource}`);
    try {
      return await store.config.objects.get(keyOf(namespace, name), options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #serve(facts: ResourceFacts): ServedResource {
    const kept = this.#kept(keptAs(facts));
    const { clock, scheme } = this.#config;
    const now = () => clock.now();
    return {
      facts,
      codec: new VersionCodec(scheme.kind(facts), kept.hub, scheme, now),
      storage: kept.store,
      strategy: kept.strategy,
      admission: this.#config.admission,
      now,
      random: this.#config.requestRandom,
    };
  }

  #kept(id: string): KeptResource {
    let kept = this.#stores.get(id);
    if (kept !== undefined) return kept;
    const facts = [...this.#facts.values()].find(({ group, name }) => `${group}/${name}` === id);
    if (facts === undefined) throw new Error(`no resource ${id}`);
    kept = this.#keep(facts);
    this.#stores.set(id, kept);
    return kept;
  }

  /** `facts` may be those of any version: the storage does not depend on it. */
  #keep(facts: ResourceFacts): KeptResource {
    const { storage, strategies, clock, random, scheme, storageMediaType } = this.#config;
    const { group, name: resource, kind, namespaced } = facts;
    const strategy = resolveStrategy(group, resource, strategies(group, resource));
    const hub = scheme.kind(scheme.kind(facts).hub);
    const codec = storageCodec({ scheme, clock, mediaType: storageMediaType }, hub, strategy);
    const objects = storage.storeFor({ prefix: keyPrefix(facts), resource: { group, resource }, codec });
    const store = new Store({
      group,
      resource,
      kind,
      namespaced,
      hasStatus: facts.subresources.some(({ name }) => name === "status"),
      strategy,
      objects,
      encode: (object) => codec.encode(object),
      clock,
      random,
      access: this.access,
      internal: this.internal,
    });
    return { hub, strategy, store };
  }
}

const FROM_CACHE: ReadOptions = { resourceVersion: "0" };

const keyOf = (namespace: string, name: string): string => (namespace === "" ? name : `${namespace}/${name}`);

const admitted = () => Promise.resolve();

interface KeptResource {
  readonly hub: VersionedKind;
  readonly strategy: ResolvedStrategy;
  readonly store: Store;
}

const keptAs = ({ group, name }: ResourceFacts): string => KEPT_AS[`${group}/${name}`] ?? `${group}/${name}`;
