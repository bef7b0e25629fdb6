import { type CancellationToken, throwIfCancelled } from "../../../base/async/cancellation.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { inSlices } from "../../../base/async/time-slice.js";
import type { Timers } from "../../../base/time/timers.js";
import {
  alreadyExists,
  type GroupResource,
  internalError,
  misfit,
  notFound,
} from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { inPart, type RequestSpan, type SpanFields, step } from "../../../machinery/tracing/request-span.js";
import { KeyExistsError, type KeyValue, type Kv, RevisionMismatchError } from "../kv.js";
import {
  DELETE,
  DeleteInstead,
  type EncodeOptions,
  type ListObjectsOptions,
  type ListOfObjects,
  type ObjectCodec,
  type ObjectStore,
  type Preconditions,
  type ReadOptions,
  type StoredEvent,
  type StoredObject,
  type StoredSize,
  type WatchObjectsOptions,
} from "../store.js";
import type { Codecs } from "./codecs.js";
import {
  invalidResourceVersionText,
  isReadable,
  listUnreadable,
  preconditionFailed,
  resourceVersionOnCreate,
} from "./errors.js";
import type { KvObject } from "./kv-object.js";
import { listObjects } from "./list-objects.js";
import type { ObjectLimit } from "./object-limit.js";
import type { Reads } from "./reads.js";
import { parseResourceVersion } from "./resource-version.js";
import { KeyedMutex } from "./keyed-mutex.js";
import { UpgradedReads } from "./upgraded-reads.js";
import { watchObjects } from "./watch-objects.js";

export interface ObjectStoreConfig {
  readonly kv: Kv;
  readonly reads: Reads;
  readonly codecs: Codecs;
  readonly timers: Timers;
  readonly limit: ObjectLimit;
  /** The resource's key prefix, ending in "/": "/registry/pods/". */
  readonly prefix: string;
  /** The resource that errors name. */
  readonly resource: GroupResource;
  readonly codec: ObjectCodec;
  /** What traces call the type of the objects: "*core.Pod". Left out: they do not say it. */
  readonly typeName?: string | undefined;
  /** What traces call the storage: "etcd3". */
  readonly storageName: string;
  /** Whether reads are the watch cache's. */
  readonly isCached: boolean;
  /** Whether a list fails with the keys of all its objects that cannot be decrypted, as kube-apiserver's does where they may be deleted. */
  readonly namesUnreadable?: boolean | undefined;
  /** Called with the number of objects of each list that was read. */
  readonly onList?: ((returned: number) => void) | undefined;
}

type CreateOptions = NonNullable<Parameters<ObjectStore["create"]>[2]>;
type UpdateOptions = NonNullable<Parameters<ObjectStore["guaranteedUpdate"]>[2]>;
type DeleteOptions = NonNullable<Parameters<ObjectStore["delete"]>[1]>;
type Updated = Awaited<ReturnType<ObjectStore["guaranteedUpdate"]>>;

/** The result of an attempt to write: done, or the object that another write has stored meanwhile. */
/** Such an object, in bytes, is encoded in slices of the event loop, however short the request that changes it. */
const LARGE_OBJECT = 64 * 1024;

interface DeletionOptions {
  readonly dryRun?: boolean | undefined;
  /** What the answer shows in place of the object. */
  readonly written?: KubeObject | undefined;
  readonly token?: CancellationToken | undefined;
}

type Attempt = { readonly done: Updated } | { readonly found: KvObject | undefined };

/** An {@link ObjectStore} that writes to a {@link Kv} and reads from the watch cache or from the store. */
export class KvObjectStore implements ObjectStore {
  /** Serializes this server's own updates of a key. Other servers may still write at any time. */
  readonly #updates: KeyedMutex;
  private readonly config: ObjectStoreConfig;

  constructor(config: ObjectStoreConfig) {
    const { reads, codec } = config;
    this.config = codec.later === undefined ? config : { ...config, reads: new UpgradedReads(reads, codec.later) };
    this.#updates = new KeyedMutex(config.timers);
  }

  create(key: string, object: KubeObject, options: CreateOptions = {}): Promise<StoredObject> {
    const create = () => this.#create(key, object, options);
    return inPart(`Create ${this.config.storageName}`, this.#fieldsOf(key), create);
  }

  async #create(key: string, object: KubeObject, options: CreateOptions): Promise<StoredObject> {
    const { kv, reads, codecs, codec, limit, resource } = this.config;
    const path = this.#path(key);
    const given = object.metadata?.resourceVersion;
    if (given && options.dryRun !== true) throw resourceVersionOnCreate();
    await reads.ready();
    step("About to Encode");
    const bytes = await this.#encode(object, options);
    step("Encode succeeded", { len: bytes.length });
    if (options.dryRun === true) {
      if ((await reads.latestOf(path)) !== undefined) throw alreadyExists(resource, nameOf(key));
      return codecs.unwritten(path, parseResourceVersion(given) ?? 0, bytes, object);
    }
    limit.check(codec, path, { object, bytes }, undefined);
    codecs.expect(bytes, object);
    throwIfCancelled(options.token);
    try {
      const { revision } = await kv.create(path, bytes, ttlOf(options.ttlSeconds));
      step("Txn call succeeded");
      return await this.#written(path, bytes, revision);
    } catch (error) {
      if (error instanceof KeyExistsError) throw alreadyExists(resource, nameOf(key));
      step("Txn call failed", { err: errorMessage(error) });
      throw error;
    }
  }

  get(key: string, options: ReadOptions = {}): Promise<StoredObject> {
    const { isCached } = this.config;
    const { resourceVersion = "" } = options;
    if (!isCached) return this.#get(key, resourceVersion);
    const fields = ({ auditId }: RequestSpan) => ({
      "audit-id": auditId,
      key: this.#path(key),
      "resource-version": resourceVersion,
    });
    return inPart("cacher.Get", fields, () => this.#get(key, resourceVersion));
  }

  async #get(key: string, resourceVersion: string): Promise<StoredObject> {
    const { reads, resource } = this.config;
    const requested = parseResourceVersion(resourceVersion);
    if (requested === undefined) throw misfit(invalidResourceVersionText(resourceVersion));
    const path = this.#path(key);
    const object = await (resourceVersion === "" ? reads.latestOf(path) : reads.notOlderOf(path, requested));
    if (object === undefined) throw notFound(resource, nameOf(key));
    return object;
  }

  now(): readonly StoredObject[] | undefined {
    return this.config.reads.now(this.config.prefix);
  }

  size(): StoredSize | undefined {
    return this.config.reads.size?.(this.config.prefix);
  }

  list(prefix: string, options: ListObjectsOptions = {}): Promise<ListOfObjects> {
    const { isCached, storageName } = this.config;
    const list = () => this.#list(prefix, options);
    if (isCached) return inPart("cacher.GetList", (span) => this.#cacheFields(span), list);
    const { resourceVersion = "", resourceVersionMatch = "", limit = 0, continue: token = "" } = options;
    const fields = ({ auditId }: RequestSpan) => ({
      "audit-id": auditId,
      key: this.#path(prefix),
      resourceVersion,
      resourceVersionMatch,
      limit,
      continue: token,
    });
    return inPart(`List(recursive=true) ${storageName}`, fields, list);
  }

  async #list(prefix: string, options: ListObjectsOptions): Promise<ListOfObjects> {
    const listed = await listObjects(this.config.reads, this.#path(prefix), options);
    step("Filtered items", { count: listed.items.length });
    if (this.config.namesUnreadable === true && options.keepsUnreadable !== true) this.#requireReadable(listed);
    this.config.onList?.(listed.items.length);
    return listed;
  }

  async watch(prefix: string, options: WatchObjectsOptions): Promise<AsyncIterable<readonly StoredEvent[]>> {
    const watch = () => watchObjects(this.config, this.#path(prefix), options);
    return this.config.isCached ? inPart("cacher.Watch", (span) => this.#cacheFields(span), watch) : watch();
  }

  #cacheFields({ auditId }: RequestSpan): SpanFields {
    const { group, resource } = this.config.resource;
    return { "audit-id": auditId, type: group === "" ? resource : `${resource}.${group}` };
  }

  #fieldsOf(key: string): (span: RequestSpan) => SpanFields {
    const { typeName: type, resource } = this.config;
    return ({ auditId }) => ({
      "audit-id": auditId,
      key: this.#path(key),
      ...(type !== undefined && { type }),
      ...resource,
    });
  }

  async guaranteedUpdate(
    key: string,
    change: (current: StoredObject | undefined) => Promise<KubeObject | typeof DELETE | DeleteInstead>,
    options: UpdateOptions = {},
  ): Promise<Updated> {
    const update = () => this.#updates.run(key, () => this.#update(key, change, options));
    return inPart(`GuaranteedUpdate ${this.config.storageName}`, this.#fieldsOf(key), update);
  }

  async #update(
    key: string,
    change: (current: StoredObject | undefined) => Promise<KubeObject | typeof DELETE | DeleteInstead>,
    options: UpdateOptions,
  ): Promise<Updated> {
    const path = this.#path(key);
    // It may have waited for its turn.
    throwIfCancelled(options.token);
    let current = await this.config.reads.latestOf(path);
    step("initial value restored");
    for (;;) {
      throwIfCancelled(options.token);
      if (current === undefined && options.ignoreNotFound !== true) throw notFound(this.config.resource, nameOf(key));
      this.#check(options.preconditions, current, key);
      const next = await change(current);
      const attempt: Attempt =
        next === DELETE || next instanceof DeleteInstead
          ? await this.#tryDelete(path, current, { ...options, written: shownOf(next) })
          : await this.#tryWrite(path, current, next, options);
      if ("done" in attempt) return attempt.done;
      current = attempt.found;
      step("Retry value restored");
    }
  }

  async delete(key: string, options: DeleteOptions = {}): Promise<StoredObject> {
    const path = this.#path(key);
    let current = await this.config.reads.latestOf(path);
    for (;;) {
      if (current === undefined) throw notFound(this.config.resource, nameOf(key));
      this.#check(options.preconditions, current, key);
      await options.validate?.(current);
      const attempt = await this.#tryDelete(path, current, options);
      if ("done" in attempt) return attempt.done.object;
      current = attempt.found;
    }
  }

  async deleteUnreadable(
    key: string,
    { dryRun, token }: Pick<DeletionOptions, "dryRun" | "token"> = {},
  ): Promise<void> {
    const path = this.#path(key);
    let current = await this.config.reads.latestOf(path);
    for (;;) {
      if (current === undefined) throw notFound(this.config.resource, nameOf(key));
      if (current.isDecodable) throw isReadable(this.config.resource, nameOf(key), path);
      if (dryRun === true) return;
      throwIfCancelled(token);
      try {
        const { revision } = await this.config.kv.delete(path, current.revision);
        await this.config.reads.acknowledged(path, revision);
        return;
      } catch (error) {
        const attempt = await this.#overtaken(path, error);
        current = "found" in attempt ? attempt.found : undefined;
      }
    }
  }

  #requireReadable({ items }: ListOfObjects): void {
    const unreadable = (items as readonly KvObject[]).filter((item) => item.isUnreadable);
    if (unreadable.length === 0) return;
    throw listUnreadable(
      this.config.resource,
      unreadable.map(({ key, problem }) => ({ key, problem })),
    );
  }

  async #tryWrite(
    path: string,
    current: KvObject | undefined,
    next: KubeObject,
    options: UpdateOptions,
  ): Promise<Attempt> {
    const { kv, codecs, codec, limit } = this.config;
    const inSlices = options.inSlices === true || (current?.heldBytes ?? 0) > LARGE_OBJECT;
    step("About to Encode");
    const bytes = await this.#encode(next, { inSlices, token: options.token });
    step("Encode succeeded", { len: bytes.length });
    const isSame = current !== undefined && Buffer.compare(bytes, current.bytes) === 0 && !current.isStale;
    if (isSame && (options.dryRun === true || (await kv.isOutdated?.(path, current.revision)) !== true)) {
      return { done: { object: current, created: false, changed: false, deleted: false } };
    }
    const created = current === undefined;
    if (options.dryRun === true) {
      const object = codecs.unwritten(path, current?.revision ?? 0, bytes, next);
      return { done: { object, created, changed: true, deleted: false } };
    }
    if (options.deletes !== true) limit.check(codec, path, { object: next, bytes }, current);
    codecs.expect(bytes, next);
    throwIfCancelled(options.token);
    try {
      const { revision } = created
        ? await kv.create(path, bytes, ttlOf(options.ttlSeconds))
        : await kv.update(path, bytes, current.revision, ttlOf(options.ttlSeconds));
      step("Txn call completed");
      const object = await this.#written(path, bytes, revision);
      return { done: { object, created, changed: true, deleted: false } };
    } catch (error) {
      return this.#overtaken(path, error);
    }
  }

  #encode(object: KubeObject, options: EncodeOptions): Uint8Array | Promise<Uint8Array> {
    const { codec } = this.config;
    if (options.inSlices !== true || codec.encodeSteps === undefined) return codec.encode(object);
    return inSlices(codec.encodeSteps(object), options.token);
  }

  async #tryDelete(
    path: string,
    current: KvObject | undefined,
    { dryRun, written, token }: DeletionOptions,
  ): Promise<Attempt> {
    const { kv, reads, codecs, codec } = this.config;
    if (current === undefined) throw internalError("an object that does not exist cannot be deleted");
    const outcome = { created: false, changed: true, deleted: true };
    const shown = written && codecs.object(path, current.revision, codec.encode(written));
    if (dryRun === true) return { done: { object: shown ?? current, last: current, ...outcome } };
    throwIfCancelled(token);
    try {
      const { revision } = await kv.delete(path, current.revision);
      await reads.acknowledged(path, revision);
      const last = current.at(revision);
      return { done: { object: shown ?? last, last, ...outcome } };
    } catch (error) {
      return this.#overtaken(path, error);
    }
  }

  /** Returns the current object if another write has conflicted. Throws any other error again. */
  async #overtaken(path: string, error: unknown): Promise<Attempt> {
    if (error instanceof KeyExistsError) return { found: await this.config.reads.latestOf(path) };
    if (error instanceof RevisionMismatchError) {
      const found = this.#object(error.current);
      await this.config.reads.upgrade?.([found]);
      return { found };
    }
    throw error;
  }

  #object(kv: KeyValue | undefined): KvObject | undefined {
    return kv && this.config.codecs.object(kv.key, kv.revision, kv.value);
  }

  /** Returns the object that was just written. Readers may see it already. */
  async #written(path: string, bytes: Uint8Array, revision: number): Promise<StoredObject> {
    const { codecs, reads } = this.config;
    return (await reads.acknowledged(path, revision)) ?? codecs.object(path, revision, bytes);
  }

  #check(preconditions: Preconditions | undefined, current: StoredObject | undefined, key: string): void {
    const { resource } = this.config;
    checkPreconditions(preconditions, current, { resource, name: nameOf(key), key: this.#path(key) });
  }

  /** Rejects a key that would leave the resource's prefix. */
  #path(key: string): string {
    for (const part of key.split("/")) {
      if (part === "." || part === "..") throw internalError(`invalid key: ${JSON.stringify(key)}`);
    }
    return this.config.prefix + key;
  }
}

const shownOf = (deletion: typeof DELETE | DeleteInstead): KubeObject | undefined =>
  deletion === DELETE ? undefined : deletion.written;

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

function ttlOf(ttlSeconds: number | undefined): { ttlSeconds?: number } {
  return ttlSeconds === undefined || ttlSeconds === 0 ? {} : { ttlSeconds };
}

/** Throws Conflict unless `object`, undefined for a missing one, meets the preconditions. */
export function checkPreconditions(
  wanted: Preconditions | undefined,
  object: StoredObject | undefined,
  about: { readonly resource: GroupResource; readonly name: string; readonly key: string },
): void {
  if (wanted === undefined) return;
  const uid = object?.object().metadata?.uid ?? "";
  if (wanted.uid !== undefined && wanted.uid !== uid) {
    const what = `UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`;
    throw preconditionFailed(about.resource, about.name, about.key, what);
  }
  const version = object === undefined ? "" : String(object.revision);
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== version) {
    const what = `ResourceVersion in precondition: ${wanted.resourceVersion}, ResourceVersion in object meta: ${version}`;
    throw preconditionFailed(about.resource, about.name, about.key, what);
  }
}
