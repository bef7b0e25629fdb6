import type { RuntimeConfig, ServedApi, TypeSource } from "../../api/facts/index.js";
import { publishedDefinitions, servedGroups, type ResourceFacts } from "../../api/facts/index.js";
import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import type { Timers } from "../../base/timers.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";
import type { AdmissionChain } from "../admission/chain.js";
import type { Authorization } from "../authz/authorizer.js";
import type { ResourceRecord } from "../endpoints/resource-record.js";
import type { StorageMediaType } from "../endpoints/serializers/serializer.js";
import type { ServedResource } from "../endpoints/served-resource.js";
import { type InternalKind, InternalObject, internalCodec } from "../registry/internal-object.js";
import { Store } from "../registry/store.js";
import type { ObjectAccess } from "../registry/strategy.js";
import type { Storage } from "../storage/create-storage.js";
import { builtInInstallations } from "./built-in-installations.js";
import { compileDefinition } from "./compile-definition.js";
import { type Installation, installationId, InvalidResourceError } from "./installation.js";
import { InstalledResource, type KeptResource } from "./installed-resource.js";
import { objectAccess } from "./object-access.js";
import type { ResourceDefinition } from "./resource-definition.js";
import { internalStorageCodec } from "./storage-codec.js";
import { servedApiOf } from "./served-api-of.js";

export interface ApiRegistryConfig {
  readonly storage: Storage;
  /** What the built-in resources are beyond their facts. */
  readonly records: readonly ResourceRecord[];
  /** Turns versions of built-in resources on and off. */
  readonly runtimeConfig: RuntimeConfig;
  /** The form that objects are stored in; both forms are read. */
  readonly storageMediaType: StorageMediaType;
  /** Holds every built-in version that is served or may be stored. */
  readonly scheme: Scheme;
  /** The types of built-in resources, for OpenAPI. Default: those that 1.36 publishes. */
  readonly types?: TypeSource | undefined;
  readonly admission: AdmissionChain;
  /** What strategies ask of the rights of a request's user. */
  readonly authorization: Authorization;
  readonly clock: Clock;
  readonly random: Random;
  /** As {@link ServedResource.random}. */
  readonly requestRandom: Random;
  /** As {@link ServedResource.timers}. */
  readonly watchTimers: Timers;
}

/** What installed resources use of the registry. */
export interface ResourceHost {
  readonly config: ApiRegistryConfig;
  readonly access: ObjectAccess;
  /** The storage of another resource, by "<group>/<resource>". Throws when it is not installed. */
  kept(id: string): KeptResource;
  readonly internal: (kind: InternalKind) => InternalObject;
}

/** What to remove: a group, one of its versions, or one of its resources at all versions. */
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
}

/** The groups, versions and resources of a server, which come and go while it runs. */
export class ApiRegistry implements ResourceHost {
  readonly access: ObjectAccess;
  readonly #internal = new Map<string, InternalObject>();
  readonly #listeners = new Set<() => void>();
  readonly #order = servedGroups({ "api/all": true });
  #installed: ReadonlyMap<string, InstalledResource>;
  #unavailable: ReadonlySet<string> = new Set();
  #current: ApiSnapshot;

  constructor(readonly config: ApiRegistryConfig) {
    this.access = objectAccess({
      of: (resource) => this.#storeOf(installationId(resource)),
      find: (resource) => {
        const storage = this.#installed.get(installationId(resource))?.kept.storage;
        return storage instanceof Store ? storage : undefined;
      },
    });
    const { runtimeConfig, records, scheme } = config;
    const builtIn = builtInInstallations(runtimeConfig, records, scheme);
    this.#installed = new Map(builtIn.map((one) => [installationId(one), new InstalledResource(one, this)]));
    this.#current = this.#snapshot(0);
  }

  get current(): ApiSnapshot {
    return this.#current;
  }

  /** Installs resources, all or none. Throws an {@link InvalidResourceError} that names the one that cannot be right. */
  install(...definitions: readonly ResourceDefinition[]): void {
    if (definitions.length === 0) return;
    const next = new Map(this.#installed);
    for (const definition of definitions) {
      const installation = compileDefinition(definition, this.config.scheme);
      checkBeside(installation, next);
      next.set(installationId(installation), new InstalledResource(installation, this));
    }
    this.#publish(next);
  }

  /**
   * Installs resources in place of those of the same names, in one change: watches of the replaced ones end, and objects stay.
   * `gone` are removed. A resource that cannot be right is left out, and `failed` is called for it.
   */
  replace(
    definitions: readonly ResourceDefinition[],
    gone: readonly GroupResource[],
    failed: (definition: ResourceDefinition, error: unknown) => void,
  ): void {
    const next = new Map(this.#installed);
    for (const one of [...gone, ...definitions]) {
      const id = installationId(one);
      next.get(id)?.reduced([]);
      next.delete(id);
    }
    for (const definition of definitions) {
      try {
        const installation = compileDefinition(definition, this.config.scheme);
        checkBeside(installation, next);
        next.set(installationId(installation), new InstalledResource(installation, this));
      } catch (error) {
        failed(definition, error);
      }
    }
    this.#publish(next);
  }

  /**
   * Discovery lists these verbs of the resources from now on. Requests are answered as before, and watches stay. Resources that are
   * not installed are left out.
   */
  listVerbs(resources: readonly GroupResource[], discoveryVerbs: readonly string[]): void {
    const next = new Map(this.#installed);
    for (const id of resources.map(installationId)) {
      const installed = next.get(id);
      if (installed === undefined) continue;
      const { versions } = installed.installation;
      next.set(id, installed.reduced(versions.map((facts) => ({ ...facts, discoveryVerbs }))));
    }
    this.#publish(next);
  }

  /** Removes resources; their watches end. Objects stay in the storage. Returns false when there was nothing to remove. */
  remove(removal: Removal): boolean {
    const next = new Map(this.#installed);
    let found = false;
    for (const [id, installed] of this.#installed) {
      const { versions } = installed.installation;
      const rest = versions.filter((one) => !isRemoved(one, removal));
      if (rest.length === versions.length) continue;
      found = true;
      const reduced = installed.reduced(rest);
      if (rest.length === 0) next.delete(id);
      else next.set(id, reduced);
    }
    if (found) this.#publish(next);
    return found;
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
    this.#publish(this.#installed);
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls `listener` once: now, where the resource has objects or that is not known, else when its first one is created. Never
   * after the returned function is called.
   */
  whenOccupied(resource: GroupResource, listener: () => void): () => void {
    const installed = this.#installed.get(installationId(resource));
    if (installed !== undefined) return installed.whenOccupied(listener);
    listener();
    return () => {};
  }

  kept(id: string): KeptResource {
    const installed = this.#installed.get(id);
    if (installed === undefined) throw new Error(`no resource ${id} is installed`);
    return installed.kept;
  }

  /** The shared object of an internal kind; the same instance for the same kind. */
  readonly internal = (kind: InternalKind): InternalObject => {
    const path = kind.prefix + kind.key;
    let object = this.#internal.get(path);
    if (object === undefined) {
      const { prefix, resource } = kind;
      const { scheme, clock, storage, storageMediaType: mediaType } = this.config;
      const codec = internalStorageCodec({ scheme, clock, mediaType }, kind, internalCodec(kind));
      object = new InternalObject(storage.storeFor({ prefix, resource, codec }), kind.key);
      this.#internal.set(path, object);
    }
    return object;
  };

  /** The generic Store of a resource. Throws for a resource that is not installed or has another storage. */
  #storeOf(id: string): Store {
    const { storage } = this.kept(id);
    if (!(storage instanceof Store)) throw new Error(`${id} is not kept in the store`);
    return storage;
  }

  #publish(installed: ReadonlyMap<string, InstalledResource>): void {
    this.#installed = installed;
    this.#current = this.#snapshot(this.#current.served.epoch + 1);
    for (const listener of this.#listeners) listener();
  }

  #snapshot(epoch: number): ApiSnapshot {
    const installed = this.#installed;
    const installations = [...installed.values()].map(({ installation }) => installation);
    const served = servedApiOf(epoch, installations, this.#unavailable, {
      order: this.#order,
      types: this.config.types ?? publishedDefinitions,
    });
    const facts = new Map(served.resources.map((one) => [`${one.groupVersion}/${one.name}`, one]));
    return {
      served,
      find(groupVersion, resource) {
        const found = facts.get(`${groupVersion}/${resource}`);
        return found && installed.get(installationId({ group: found.group, resource }))?.at(found);
      },
    };
  }
}

function isRemoved({ group, version, name }: ResourceFacts, removal: Removal): boolean {
  if (group !== removal.group) return false;
  if ("version" in removal) return version === removal.version;
  return !("resource" in removal) || name === removal.resource;
}

/** Throws when another resource has the name, the kind or the place in the storage already. */
function checkBeside(installation: Installation, others: ReadonlyMap<string, InstalledResource>): void {
  const { group, resource, versions } = installation;
  const name = group === "" ? resource : `${resource}.${group}`;
  if (others.has(installationId(installation))) throw new InvalidResourceError(name, "it is installed already");
  for (const { installation: other } of others.values()) {
    const same = other.group === group && other.versions.some(({ kind }) => kind === versions[0]?.kind);
    if (same) throw new InvalidResourceError(name, `kind ${versions[0]?.kind} is that of ${other.resource}`);
  }
}
