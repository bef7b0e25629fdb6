import { returnsDeletedObject } from "../../api/facts/index.js";
import { setMaxListeners } from "node:events";
import { defaulterOf } from "../../api/defaults/index.js";
import type { ResourceFacts } from "../../api/facts/index.js";
import type { VersionedKind } from "../../machinery/scheme/scheme.js";
import { VersionCodec } from "../endpoints/representation/version-codec.js";
import { partsOf } from "../endpoints/resource-record.js";
import type { ServedResource } from "../endpoints/served-resource.js";
import { type ResolvedStrategy, resolveStrategy } from "../registry/default-strategy.js";
import type { ResourceStorage } from "../registry/resource.js";
import { type ObjectSource, verbsOfSource } from "../registry/plain-objects/object-source.js";
import { SourceStorage } from "../registry/plain-objects/source-storage.js";
import { Store } from "../registry/store.js";
import type { StoreConfig } from "../registry/store-config.js";
import type { ResourceHost } from "./api-registry.js";
import { type Installation, installationId } from "./installation.js";
import { keyPrefix, ownKeyPrefix } from "./key-prefix.js";
import { internalHubCodec, storageCodec, upgradingCodec } from "./storage-codec.js";

/** The storage of a resource's objects, with its strategy and its hub. */
export interface KeptResource {
  readonly hub: VersionedKind;
  readonly strategy: ResolvedStrategy;
  readonly storage: ResourceStorage;
}

interface ServedVersion {
  readonly resource: ServedResource;
  readonly ending: AbortController;
}

/** An installed resource: its storage and its versions, each of which is made on first use. */
export class InstalledResource {
  readonly #served = new Map<string, ServedVersion>();
  /** The versions that were removed. A request that holds an older snapshot may still come for one. */
  #removed: readonly string[] = [];
  #kept: KeptResource | undefined;
  /** No version of it is served any more. */
  #isGone = false;

  constructor(
    readonly installation: Installation,
    private readonly host: ResourceHost,
  ) {}

  /**
   * The resource as verb handlers see it, at one of its versions. Undefined when it was removed before its storage was ever
   * opened: a store that is opened now could be that of a successor.
   */
  at(facts: ResourceFacts): ServedResource | undefined {
    const known = this.#served.get(facts.version);
    if (known !== undefined) return known.resource;
    if (this.#isGone && this.#kept === undefined) return undefined;
    const ending = new AbortController();
    // Every watch listens.
    setMaxListeners(0, ending.signal);
    if (this.#removed.includes(facts.version)) ending.abort();
    const resource = this.#serve(facts, ending.signal);
    this.#served.set(facts.version, { resource, ending });
    return resource;
  }

  /** The storage that all versions share. */
  get kept(): KeptResource {
    this.#kept ??= this.#keep();
    return this.#kept;
  }

  /** As {@link ApiRegistry.whenOccupied}. Does not open the storage. */
  whenOccupied(listener: () => void): () => void {
    const { record, source } = this.installation;
    if (source === undefined && record?.storage?.sharedWith === undefined) {
      return this.host.config.storage.whenOccupied(storagePrefix(this.installation), listener);
    }
    listener();
    return () => {};
  }

  /** The same resource with some of its versions only. Watches of the others end. */
  reduced(versions: readonly ResourceFacts[]): InstalledResource {
    const rest = new InstalledResource({ ...this.installation, versions }, this.host);
    rest.#kept = this.#kept;
    this.#isGone = versions.length === 0;
    if (this.#isGone) this.#release();
    for (const { version } of this.installation.versions) {
      const served = this.#served.get(version);
      const stays = versions.some((one) => one.version === version);
      if (stays && served !== undefined) rest.#served.set(version, served);
      if (stays) continue;
      this.#removed = [...this.#removed, version];
      served?.ending.abort();
    }
    return rest;
  }

  /** Where the generic Store keeps the objects, the storage need not know them any more. A source is followed no longer. */
  #release(): void {
    if (this.installation.record?.storage?.sharedWith !== undefined) return;
    if (this.#kept?.storage instanceof Store) this.host.config.storage.release(storagePrefix(this.installation));
    this.close();
  }

  /** Ends what the resource's storage does by itself. */
  close(): void {
    if (this.#kept?.storage instanceof SourceStorage) this.#kept.storage.close();
  }

  #serve(facts: ResourceFacts, removed: AbortSignal): ServedResource {
    const { release, gates, admission, clock, requestRandom, watchTimers, minWatchSeconds } = this.host.config;
    const { record, scheme, storedAs } = this.installation;
    const { hub, strategy, storage } = this.kept;
    const now = () => clock.now();
    return {
      facts,
      codec: new VersionCodec(scheme.kind(facts), hub, scheme, now, storedAs === undefined),
      storage,
      all: () => (storage instanceof Store ? storage.config.objects.now()?.map((one) => one.object()) : undefined),
      record,
      strategy,
      admission,
      now,
      random: requestRandom,
      timers: watchTimers,
      minWatchSeconds,
      release,
      gates,
      removed,
    };
  }

  #keep(): KeptResource {
    const { config, access, internal, resourceOf } = this.host;
    const { group, resource, record, scheme, versions, kinds, source } = this.installation;
    if (record?.storage?.sharedWith !== undefined) return this.host.kept(record.storage.sharedWith);
    // Those of any version will do: the storage does not depend on it.
    const [facts] = versions;
    if (facts === undefined) throw new Error(`${installationId(this.installation)} has no version`);
    const { kind, namespaced } = facts;
    // The defaults of a built-in kind are not those of another resource's kind of the same name.
    const applyDefaults = kinds.length === 0 ? defaulterOf(group, kind) : undefined;
    // apiextensions' strategy validates metadata first, as those of built-in kinds do.
    const isInCode = kinds.length > 0 && facts.isCustom !== true;
    const strategy = resolveStrategy(
      {
        returnsDeletedObject: returnsDeletedObject(group, resource),
        ...(applyDefaults && { applyDefaults }),
        ...(isInCode && { validatesMetadata: false }),
        ...record?.strategy,
      },
      config.gates,
    );
    const hub = scheme.kind(scheme.kind(facts).hub);
    const store = {
      group,
      resource,
      kind,
      namespaced,
      hasStatus: facts.subresources.some(({ name }) => name === "status"),
      strategy,
      parts: partsOf(record),
      clock: config.clock,
      random: config.random,
      access,
      deletion: config.deletion,
      authorization: config.authorization,
      release: config.release,
      gates: config.gates,
      resourceOf,
      internal,
    };
    if (source === undefined) return { hub, strategy, storage: this.#store(store, hub) };
    const isEmpty = verbsOfSource(source, record?.storage ?? {}).length === 0;
    const storage = isEmpty ? {} : this.#sourceStorage(source, store, hub);
    return { hub, strategy, storage };
  }

  /** The generic Store over the server's storage. */
  #store(store: Omit<StoreConfig, "objects" | "encode">, hub: VersionedKind): Store {
    const { clock, storage, storageMediaType: mediaType } = this.host.config;
    const { record, scheme, kinds, storedAs } = this.installation;
    const { group, resource, strategy } = store;
    const stored = storageCodec({ scheme, clock, mediaType }, hub, strategy);
    // Built-in kinds change with the version of the program, which the store knows (schema epochs).
    const upgrades = record?.storage?.upgradesOnRead ?? kinds.length > 0;
    const upgraded = upgrades ? upgradingCodec({ scheme, clock }, hub, stored) : stored;
    const codec =
      storedAs === undefined ? upgraded : internalHubCodec({ scheme, clock, mediaType }, scheme.kind(storedAs), stored);
    const objects = storage.storeFor({
      prefix: storagePrefix(this.installation),
      resource: { group, resource },
      codec,
      typeName: kinds.length === 0 ? `*${goPackage(group)}.${store.kind}` : "*unstructured.Unstructured",
    });
    return new Store({ ...store, objects, encode: (object) => codec.encode(object) });
  }

  #sourceStorage(
    source: ObjectSource,
    store: Omit<StoreConfig, "objects" | "encode">,
    hub: VersionedKind,
  ): SourceStorage {
    const { clock, timers, reportError } = this.host.config;
    const { scheme, record } = this.installation;
    const codec = storageCodec({ scheme, clock, mediaType: "application/json" }, hub, store.strategy);
    return new SourceStorage({
      source,
      options: record?.storage ?? {},
      store: { ...store, encode: (object) => codec.encode(object) },
      hub,
      codec,
      prefix: storagePrefix(this.installation),
      timers,
      reportError,
    });
  }
}

/** The prefix of the keys of the resource's objects. */
export function storagePrefix({ group, resource, record, kinds }: Installation): string {
  const named = { group, name: resource };
  return kinds.length === 0 ? keyPrefix(named, record?.storage) : ownKeyPrefix(named);
}

/** The packages of Kubernetes whose names do not follow from the group. */
const GO_PACKAGES: ReadonlyMap<string, string> = new Map([
  ["", "core"],
  ["events.k8s.io", "core"],
  ["internal.apiserver.k8s.io", "apiserverinternal"],
]);

/** The name of the package that has the types of a built-in group. */
const goPackage = (group: string): string => GO_PACKAGES.get(group) ?? (group.split(".")[0] as string);
