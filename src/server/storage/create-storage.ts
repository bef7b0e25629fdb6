import { type Clock, systemClock } from "../../base/time/clock.js";
import { systemTimers, type Timers } from "../../base/time/timers.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import { CachedReads } from "./cacher/cached-reads.js";
import { WatchCache } from "./cacher/watch-cache.js";
import type { ApplyOutsideEdit, Kv, StorageCheck } from "./kv.js";
import { SCHEMA_EPOCHS_PREFIX } from "./schema-epochs.js";
import { Codecs } from "./store/codecs.js";
import { DirectReads } from "./store/direct-reads.js";
import { KvObjectStore } from "./store/object-store.js";
import { DEFAULT_MAX_OBJECT_BYTES, ObjectLimit } from "./store/object-limit.js";
import { type Reads, RETRY_AFTER_SECONDS } from "./store/reads.js";
import type { ObjectCodec, ObjectStore } from "./store.js";

export interface KvStorageOptions {
  /** The storage owns the store and closes it. */
  readonly kv: Kv;
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** Default true. */
  readonly watchCache?: WatchCacheChoice;
  /** How long the history keeps events for watchers that resume. Default 300. */
  readonly historySeconds?: number;
  /** How many bytes of objects the history keeps. Default 64 MiB. */
  readonly historyBytes?: number;
  /** The memory that parsed objects may take, approximately, and that encodings of objects may take beside them. Default 48 MiB. */
  readonly cacheBytes?: number;
  /** True when stored objects may be of another schema epoch; see {@link claimSchemaEpoch}. Default false. */
  readonly upgrades?: boolean;
  /** The interval of compactions, as kube-apiserver's --etcd-compaction-interval; 0 never compacts. Default 300. */
  readonly compactionSeconds?: number;
  /** Whether lists name the keys of all their objects that cannot be decrypted. Default false: of the first one. */
  readonly namesUnreadable?: boolean;
  /** As {@link ObjectLimit} counts them; 0: no limit. Default {@link DEFAULT_MAX_OBJECT_BYTES}. */
  readonly maxObjectBytes?: number;
  /** What traces call the key-value store: "memory". Default "etcd3". */
  readonly name?: string | undefined;
  /** Told of what the storage does. Default: nothing is. */
  readonly observer?: StorageObserver | undefined;
}

/** Receives the events of a storage, for metrics. */
export interface StorageObserver {
  /** The storage has sent changes to the watch cache. */
  events(events: readonly { readonly key: string }[]): void;
  /** A list of a resource was read, with so many objects. */
  listed(resource: GroupResource, fromCache: boolean, returned: number): void;
  /** The objects of a resource are below the prefix from now on. */
  stores(prefix: string, resource: GroupResource): void;
}

/**
 * Whether reads are answered from the watch cache. False: every read goes to the store, as with kube-apiserver's --watch-cache=false. A table:
 * those of the resources that it names with false ("events", "deployments.apps") do, as with its --watch-cache-sizes=events#0.
 */
export type WatchCacheChoice = boolean | Readonly<Record<string, boolean>>;

export interface ObjectStoreConfig {
  /** The resource's key prefix, ending in "/": "/registry/pods/". No prefix may begin with another. */
  readonly prefix: string;
  /** The resource that errors name. */
  readonly resource: GroupResource;
  readonly codec: ObjectCodec;
  /** What kube-apiserver's traces call the type of the objects: "*core.Pod". */
  readonly typeName?: string;
}

/** The objects of a server: one key-value store, one watch cache over it, and one object store per resource. */
export interface Storage {
  /** Resolves when reads can be served. Reads wait for it themselves. */
  ready(): Promise<void>;
  /** May be called at any time. A second call for a prefix replaces its codec, as a changed custom resource needs it. */
  storeFor(config: ObjectStoreConfig): ObjectStore;
  /** Forgets the codec of a prefix whose resource is removed. A store that is still held for it goes on working. */
  release(prefix: string): void;
  /** As {@link Reads.whenOccupied}. */
  whenOccupied(prefix: string, listener: () => void): () => void;
  /** The revision of the last acknowledged write. */
  currentRevision(): Promise<number>;
  /** As {@link Kv.outsideEdits}. */
  outsideEdits?(apply: ApplyOutsideEdit): Promise<void>;
  /** Rejects while writes are likely to fail. */
  check(kind?: StorageCheck): Promise<void>;
  /** Ends watches, finishes accepted writes and closes the key-value store. Idempotent. */
  close(): Promise<void>;
}

export function createStorage(options: KvStorageOptions): Storage {
  const { kv, clock = systemClock, timers = systemTimers } = options;
  const codecs = new Codecs(options.cacheBytes ?? 48 * 2 ** 20, options.upgrades);
  codecs.register(SCHEMA_EPOCHS_PREFIX, OPAQUE);
  const reads = openReads(options, codecs, clock, timers);
  const direct = new DirectReads(kv, codecs, clock, 0);
  const limit = new ObjectLimit(options.maxObjectBytes ?? DEFAULT_MAX_OBJECT_BYTES);
  const compaction = (options.compactionSeconds ?? 300) * 1000;
  const stopCompactor = compaction > 0 ? startCompactor(kv, timers, compaction) : () => {};
  return {
    ready: () => reads.ready(),
    storeFor({ prefix, resource, codec, typeName }) {
      codecs.register(prefix, codec);
      const isCached = hasWatchCache(options.watchCache, resource);
      options.observer?.stores(prefix, resource);
      return new KvObjectStore({
        kv,
        reads: isCached ? reads : direct,
        codecs,
        timers,
        limit,
        prefix,
        resource,
        codec,
        typeName,
        storageName: options.name ?? "etcd3",
        isCached: isCached && options.watchCache !== false,
        namesUnreadable: options.namesUnreadable,
        onList: options.observer && ((returned) => options.observer?.listed(resource, isCached, returned)),
      });
    },
    release: (prefix) => codecs.release(prefix),
    whenOccupied: (prefix, listener) => reads.whenOccupied(prefix, listener),
    currentRevision: () => kv.currentRevision(),
    ...(kv.outsideEdits && { outsideEdits: async (apply) => kv.outsideEdits?.(apply) }),
    check: (kind) => kv.check(kind),
    async close() {
      stopCompactor();
      // The store closes first: it finishes its writes, and the watch cache delivers them to waiting reads.
      try {
        await kv.close();
      } finally {
        await Promise.all([reads.close(), direct.close()]);
      }
    },
  };
}

function hasWatchCache(choice: WatchCacheChoice = true, { group, resource }: GroupResource): boolean {
  if (typeof choice === "boolean") return choice;
  return choice[group === "" ? resource : `${resource}.${group}`] !== false;
}

/** The codec of values that are no API objects. */
const OPAQUE: ObjectCodec = {
  decode: () => ({}),
  encode: () => new Uint8Array(),
  attributes: () => ({ labels: {}, fields: {} }),
};

function openReads(options: KvStorageOptions, codecs: Codecs, clock: Clock, timers: Timers): Reads {
  const { kv } = options;
  const direct = new DirectReads(kv, codecs, clock, options.watchCache === false ? 0 : RETRY_AFTER_SECONDS);
  if (options.watchCache === false) return direct;
  const limits = {
    events: 200_000,
    bytes: options.historyBytes ?? 32 * 2 ** 20,
    milliseconds: (options.historySeconds ?? 300) * 1000,
    keep: 1000,
  };
  return new CachedReads(
    new WatchCache({ kv, clock, timers, limits, codecs, onEvents: options.observer?.events }),
    kv,
    direct,
  );
}

/**
 * Compacts the store every `milliseconds`, up to the revision that was current at the previous compaction. Returns a
 * function that stops it. The next run makes up for a compaction that failed.
 */
function startCompactor(kv: Kv, timers: Timers, milliseconds: number): () => void {
  let stopped = false;
  let last: number | undefined;
  let cancel = (): void => {};
  const tick = async (): Promise<void> => {
    try {
      const current = await kv.currentRevision();
      if (last !== undefined) await kv.compact(last);
      last = current;
    } catch {
      // The store is closed or unavailable. Writes report that with a better error.
    }
    if (!stopped) arm();
  };
  const arm = (): void => {
    cancel = timers.start(milliseconds, () => void tick());
  };
  void tick();
  return () => {
    stopped = true;
    cancel();
  };
}
