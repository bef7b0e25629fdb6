import type { ServerGates } from "../../api/gates/feature-gates.js";
import type { ApiTitle, GroupFacts, Release, RuntimeConfig, ServedApi, TypeSource } from "../../api/facts/index.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";
import type { AdmissionChain } from "../admission/chain.js";
import type { Authorization } from "../authz/authorizer.js";
import type { ResourceRecord } from "../endpoints/resource-record.js";
import type { StorageMediaType } from "../endpoints/serializers/serializer.js";
import type { ServedResource } from "../endpoints/served-resource.js";
import type { DeletionRules } from "../registry/deletion.js";
import { type InternalKind, InternalObject, internalCodec } from "../registry/internal-object.js";
import { SourceStorage } from "../registry/plain-objects/source-storage.js";
import { loopbackScope } from "../registry/scope.js";
import { Store } from "../registry/store.js";
import type { ObjectAccess, StrategyContext } from "../registry/strategy.js";
import type { Storage } from "../storage/create-storage.js";
import type { ObjectStore } from "../storage/store.js";
import { builtInInstallations, installationId } from "./installation.js";
import { BuiltInNames } from "./built-in-names.js";
import type { KeptResource } from "./installed-resource.js";
import { InstalledResources } from "./installed-resources.js";
import { objectAccess } from "./object-access.js";
import type { ResourceDefinition, InstallerOptions, ResourceInstaller } from "./resource-definition.js";
import { internalStorageCodec } from "./storage-codec.js";
import { servedApiOf } from "./served-api-of.js";

export interface ApiRegistryConfig {
  /** The version of Kubernetes whose resources are the built-in ones. */
  readonly release: Release;
  /** The feature gates of the server. */
  readonly gates: ServerGates;
  readonly storage: Storage;
  /** What the built-in resources are beyond their facts. */
  readonly records: readonly ResourceRecord[];
  /** Turns versions of built-in resources on and off. */
  readonly runtimeConfig: RuntimeConfig;
  /** The form that objects are stored in; both forms are read. */
  readonly storageMediaType: StorageMediaType;
  /** Holds every built-in version that is served or may be stored. */
  readonly scheme: Scheme;
  /** The types of built-in resources, for OpenAPI. Default: those that the release publishes. */
  readonly types?: TypeSource | undefined;
  /** What OpenAPI documents are called. Default: Kubernetes. */
  readonly title?: ApiTitle | undefined;
  readonly admission: AdmissionChain;
  /** How objects are deleted. Default: as kube-apiserver without flags. */
  readonly deletion?: DeletionRules | undefined;
  /** What strategies ask of the rights of a request's user. */
  readonly authorization: Authorization;
  readonly clock: Clock;
  readonly random: Random;
  /** As {@link ServedResource.random}. */
  readonly requestRandom: Random;
  /** As {@link ServedResource.timers}. */
  readonly watchTimers: Timers;
  /** As {@link ServedResource.minWatchSeconds}. */
  readonly minWatchSeconds?: number | undefined;
  /** Time the calls and polls of sources. */
  readonly timers: Timers;
  /** Gets the faults of sources. */
  readonly reportError: (error: unknown) => void;
}

/** The parts of the registry that installed resources use. */
export interface ResourceHost {
  readonly config: ApiRegistryConfig;
  readonly access: ObjectAccess;
  /** The storage of another resource, by "<group>/<resource>". Throws when it is not installed. */
  kept(id: string): KeptResource;
  readonly internal: (kind: InternalKind) => InternalObject;
  readonly resourceOf: StrategyContext["resourceOf"];
}

/** The target of a removal: a group, one of its versions, or one of its resources at all versions. */
export type Removal =
  | { readonly group: string }
  | { readonly group: string; readonly version: string }
  | { readonly group: string; readonly resource: string };

/**
 * The API of a server at one time. A request holds one snapshot from its first filter to its last byte, whatever is
 * installed and removed meanwhile.
 */
export interface ApiSnapshot {
  /** What filters, discovery and OpenAPI read. */
  readonly served: ServedApi;
  /** Finds a served resource by "apps/v1" and "deployments". */
  find(groupVersion: string, resource: string): ServedResource | undefined;
  /** Whether a group has resources of the server's own code, and not only of definitions. */
  routes(group: string): boolean;
}

/** The groups, versions and resources of a server, which come and go while it runs. */
export class ApiRegistry implements ResourceHost {
  readonly access: ObjectAccess;
  readonly #internal = new Map<string, InternalObject>();
  readonly #listeners = new Set<() => void>();
  readonly #order: readonly GroupFacts[];
  readonly #builtInNames: BuiltInNames;
  readonly #installed: InstalledResources;
  /** Of those who have no handle of their own. */
  readonly #code: ResourceInstaller;
  /** Ids of resources that the server's own parts have asked for in vain. */
  readonly #missed = new Set<string>();
  #unavailable: ReadonlySet<string> = new Set();
  #current: ApiSnapshot;

  constructor(readonly config: ApiRegistryConfig) {
    this.access = objectAccess({
      of: (resource) => this.#storeOf(installationId(resource)),
      now: (resource) => this.#storeNow(resource),
    });
    const { release, runtimeConfig, records, scheme } = config;
    this.#order = release.servedGroups({ "api/all": true });
    const builtIn = builtInInstallations(release, release.servedResources(runtimeConfig), records, scheme);
    this.#builtInNames = new BuiltInNames(release.resources(), records);
    // A server without built-in resources may have others of these names.
    const reserved = builtIn.length > 0 ? this.#builtInNames : new BuiltInNames([], []);
    this.#installed = new InstalledResources(builtIn, reserved, this, () => this.#publish());
    this.#code = this.installer({ owner: "the server's code" });
    this.#current = this.#snapshot(0);
  }

  get current(): ApiSnapshot {
    return this.#current;
  }

  /** A handle for the resources of one owner, which no other handle can replace or remove. */
  installer(options: InstallerOptions): ResourceInstaller {
    return this.#installed.installer(options);
  }

  /** {@link ResourceInstaller.install} of the code that starts the server or runs in it. */
  install(...definitions: readonly ResourceDefinition[]): void {
    this.#code.install(...definitions);
  }

  /** {@link ResourceInstaller.remove} of what {@link install} has installed. */
  remove(removal: Removal): boolean {
    return this.#code.remove(removal);
  }

  /**
   * Says that the resources of a group version ("metrics.k8s.io/v1beta1") cannot be reached now, or can be again. Requests
   * to them are answered 503, and discovery calls them stale: what they hold is unknown, not gone.
   */
  setAvailable(groupVersion: string, available: boolean): void {
    if (this.#unavailable.has(groupVersion) !== available) return;
    const next = new Set(this.#unavailable);
    if (available) next.delete(groupVersion);
    else next.add(groupVersion);
    this.#unavailable = next;
    this.#publish();
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Says that other servers serve other things than before: calls the listeners of {@link onChange}. */
  changedElsewhere(): void {
    for (const listener of this.#listeners) listener();
  }

  /**
   * Calls `listener` once: now, where the resource has objects or that is not known, else when its first one is created. Never
   * after the returned function is called.
   */
  whenOccupied(resource: GroupResource, listener: () => void): () => void {
    const installed = this.#installed.find(installationId(resource));
    if (installed !== undefined) return installed.whenOccupied(listener);
    listener();
    return () => {};
  }

  kept(id: string): KeptResource {
    const installed = this.#installed.find(id);
    if (installed === undefined) throw new Error(`no resource ${id} is installed`);
    return installed.kept;
  }

  /**
   * The ids of resources that a part of the server has asked for and that are not installed: what it decides by them cannot be right.
   */
  get missing(): readonly string[] {
    return [...this.#missed].filter((id) => this.#installed.find(id) === undefined);
  }

  /** The shared object of an internal kind; the same instance for the same kind. */
  readonly internal = (kind: InternalKind): InternalObject => {
    const path = kind.prefix + kind.key;
    let object = this.#internal.get(path);
    if (object === undefined) {
      object = new InternalObject(this.internalObjects(kind), kind.key);
      this.#internal.set(path, object);
    }
    return object;
  };

  /** All objects below the prefix of an internal kind. */
  internalObjects(kind: Omit<InternalKind, "key">): ObjectStore {
    const { prefix, resource } = kind;
    const { scheme, clock, storage, storageMediaType: mediaType } = this.config;
    const codec = internalStorageCodec({ scheme, clock, mediaType }, kind, internalCodec(kind));
    return storage.storeFor({ prefix, resource, codec });
  }

  readonly resourceOf: ResourceHost["resourceOf"] = ({ group, version, kind }) => {
    const { resources } = this.#current.served;
    const found = resources.find((one) => one.kind === kind && one.version === version && one.group === group);
    return found && { group, resource: found.name };
  };

  /** The generic Store of a resource. Throws for a resource that is not installed or has another storage. */
  #storeOf(id: string): Store {
    return storeIn(this.kept(id), id);
  }

  /** As {@link #storeOf}; undefined for a built-in resource that runtimeConfig turned off. */
  #storeNow(resource: GroupResource): Store | undefined {
    const id = installationId(resource);
    const installed = this.#installed.find(id);
    if (installed !== undefined) return storeIn(installed.kept, id);
    if (this.#builtInNames.has(resource)) return undefined;
    this.#missed.add(id);
    throw new Error(`no resource ${id} is installed`);
  }

  /** Ends what the storages of resources do by themselves, such as polls. */
  close(): void {
    this.#installed.close();
  }

  #publish(): void {
    this.#current = this.#snapshot(this.#current.served.epoch + 1);
    for (const listener of this.#listeners) listener();
  }

  #snapshot(epoch: number): ApiSnapshot {
    const installed = new Map(this.#installed.shown().map((one) => [installationId(one.installation), one]));
    const installations = [...installed.values()].map(({ installation }) => installation);
    const served = servedApiOf(epoch, installations, this.#unavailable, {
      release: this.config.release,
      order: this.#order,
      types: this.config.types ?? this.config.release.definitions,
      title: this.config.title,
    });
    const facts = new Map(served.resources.map((one) => [`${one.groupVersion}/${one.name}`, one]));
    const routed = this.#installed.routedGroups();
    return {
      served,
      routes: (group) => routed.has(group),
      find(groupVersion, resource) {
        const found = facts.get(`${groupVersion}/${resource}`);
        return found && installed.get(installationId({ group: found.group, resource }))?.at(found);
      },
    };
  }
}

function storeIn({ storage }: KeptResource, id: string): Store {
  if (storage instanceof SourceStorage) return storage.store(loopbackScope(""));
  if (!(storage instanceof Store)) throw new Error(`${id} is not kept in the store`);
  return storage;
}
