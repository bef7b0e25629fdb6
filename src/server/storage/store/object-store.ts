import type { Timers } from "../../../base/timers.js";
import { alreadyExists, type GroupResource, internalError, notFound } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { CachedObject } from "../cacher/cached-object.js";
import type { WatchCache } from "../cacher/watch-cache.js";
import { KeyExistsError, type Kv, RevisionMismatchError } from "../kv.js";
import {
  DELETE,
  type ListObjectsOptions,
  type ListOfObjects,
  type ObjectCodec,
  type ObjectStore,
  type Preconditions,
  type ReadOptions,
  type StoredEvent,
  type StoredObject,
  type WatchObjectsOptions,
} from "../store.js";
import { invalidResourceVersionText, plainFailure, resourceVersionOnCreate } from "./errors.js";
import { waitForCurrent, waitForRevision } from "./fresh.js";
import { listObjects } from "./list-objects.js";
import { checkPreconditions } from "./preconditions.js";
import { parseResourceVersion } from "./resource-version.js";
import { watchObjects } from "./watch-objects.js";

export interface ObjectStoreConfig {
  readonly kv: Kv;
  readonly cache: WatchCache;
  readonly timers: Timers;
  /** Where the resource's keys begin, ending in "/": "/registry/pods/". */
  readonly prefix: string;
  /** Named in errors. */
  readonly resource: GroupResource;
  readonly codec: ObjectCodec;
}

type UpdateOptions = NonNullable<Parameters<ObjectStore["guaranteedUpdate"]>[2]>;
type DeleteOptions = NonNullable<Parameters<ObjectStore["delete"]>[1]>;
type Updated = Awaited<ReturnType<ObjectStore["guaranteedUpdate"]>>;

/** An {@link ObjectStore} that writes to a {@link Kv} and reads from the watch cache over it. */
export class CachedObjectStore implements ObjectStore {
  constructor(private readonly config: ObjectStoreConfig) {}

  async create(
    key: string,
    object: KubeObject,
    options: { ttlSeconds?: number; dryRun?: boolean } = {},
  ): Promise<StoredObject> {
    const { kv, cache, resource } = this.config;
    const path = this.#path(key);
    if (object.metadata?.resourceVersion) throw resourceVersionOnCreate();
    await cache.ready();
    const bytes = this.config.codec.encode(object);
    if (options.dryRun === true) {
      if ((await this.#current(path)) !== undefined) throw alreadyExists(resource, nameOf(key));
      return this.#unwritten(path, bytes, 0);
    }
    cache.expect(bytes, object);
    try {
      const { revision } = await kv.create(path, bytes, ttlOf(options.ttlSeconds));
      return await this.#written(path, bytes, revision);
    } catch (error) {
      if (error instanceof KeyExistsError) throw alreadyExists(resource, nameOf(key));
      throw error;
    }
  }

  async get(key: string, options: ReadOptions = {}): Promise<StoredObject> {
    const { kv, cache, resource } = this.config;
    const { resourceVersion = "" } = options;
    const requested = parseResourceVersion(resourceVersion);
    if (requested === undefined) throw plainFailure(invalidResourceVersionText(resourceVersion));
    if (resourceVersion === "") await waitForCurrent(cache, kv);
    else await waitForRevision(cache, requested);
    const object = cache.root.get(this.#path(key));
    if (object === undefined) throw notFound(resource, nameOf(key));
    return object;
  }

  async list(prefix: string, options: ListObjectsOptions = {}): Promise<ListOfObjects> {
    return listObjects(this.config, this.#path(prefix), options);
  }

  async watch(prefix: string, options: WatchObjectsOptions): Promise<AsyncIterable<readonly StoredEvent[]>> {
    return watchObjects(this.config, this.#path(prefix), options);
  }

  async guaranteedUpdate(
    key: string,
    change: (current: StoredObject | undefined) => Promise<KubeObject | typeof DELETE>,
    options: UpdateOptions = {},
  ): Promise<Updated> {
    const path = this.#path(key);
    for (;;) {
      const current = await this.#current(path);
      if (current === undefined && options.ignoreNotFound !== true) throw notFound(this.config.resource, nameOf(key));
      this.#check(options.preconditions, current, key);
      const next = await change(current);
      const done =
        next === DELETE
          ? await this.#tryDelete(path, current, options.dryRun === true)
          : await this.#tryWrite(path, current, next, options);
      if (done !== undefined) return done;
    }
  }

  async delete(key: string, options: DeleteOptions = {}): Promise<StoredObject> {
    const path = this.#path(key);
    for (;;) {
      const current = await this.#current(path);
      if (current === undefined) throw notFound(this.config.resource, nameOf(key));
      this.#check(options.preconditions, current, key);
      await options.validate?.(current);
      const done = await this.#tryDelete(path, current, options.dryRun === true);
      if (done !== undefined) return done.object;
    }
  }

  /** Undefined when somebody else wrote in between. */
  async #tryWrite(
    path: string,
    current: CachedObject | undefined,
    next: KubeObject,
    options: UpdateOptions,
  ): Promise<Updated | undefined> {
    const { kv, cache, codec } = this.config;
    const bytes = codec.encode(next);
    if (current !== undefined && Buffer.compare(bytes, current.bytes) === 0) {
      return { object: current, created: false, changed: false, deleted: false };
    }
    const created = current === undefined;
    if (options.dryRun === true) {
      const object = this.#unwritten(path, bytes, current?.revision ?? 0);
      return { object, created, changed: true, deleted: false };
    }
    cache.expect(bytes, next);
    try {
      const { revision } = created
        ? await kv.create(path, bytes, ttlOf(options.ttlSeconds))
        : await kv.update(path, bytes, current.revision, ttlOf(options.ttlSeconds));
      return { object: await this.#written(path, bytes, revision), created, changed: true, deleted: false };
    } catch (error) {
      if (error instanceof RevisionMismatchError || error instanceof KeyExistsError) return undefined;
      throw error;
    }
  }

  /** Undefined when somebody else wrote in between. */
  async #tryDelete(path: string, current: CachedObject | undefined, dryRun: boolean): Promise<Updated | undefined> {
    const { kv, cache } = this.config;
    if (current === undefined) throw internalError("an object that does not exist cannot be deleted");
    if (dryRun) return { object: current, created: false, changed: true, deleted: true };
    try {
      const { revision } = await kv.delete(path, current.revision);
      await cache.waitFor(revision);
      return { object: current.at(revision), created: false, changed: true, deleted: true };
    } catch (error) {
      if (error instanceof RevisionMismatchError) return undefined;
      throw error;
    }
  }

  async #current(path: string): Promise<CachedObject | undefined> {
    await waitForCurrent(this.config.cache, this.config.kv);
    return this.config.cache.root.get(path);
  }

  /** The object as it was just written, once the cache shows it too. */
  async #written(path: string, bytes: Uint8Array, revision: number): Promise<StoredObject> {
    const { cache } = this.config;
    await cache.waitFor(revision);
    const cached = cache.root.get(path);
    return cached?.revision === revision ? cached : new CachedObject(cache, path, revision, bytes);
  }

  #unwritten(path: string, bytes: Uint8Array, revision: number): StoredObject {
    return new CachedObject(this.config.cache, path, revision, bytes);
  }

  #check(preconditions: Preconditions | undefined, current: StoredObject | undefined, key: string): void {
    const { resource } = this.config;
    checkPreconditions(preconditions, current, { resource, name: nameOf(key), key: this.#path(key) });
  }

  /** Refuses what would reach outside the resource. */
  #path(key: string): string {
    for (const part of key.split("/")) {
      if (part === "." || part === "..") throw internalError(`invalid key: ${JSON.stringify(key)}`);
    }
    return this.config.prefix + key;
  }
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

function ttlOf(ttlSeconds: number | undefined): { ttlSeconds?: number } {
  return ttlSeconds === undefined || ttlSeconds === 0 ? {} : { ttlSeconds };
}
