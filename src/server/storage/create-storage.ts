import { type Clock, systemClock } from "../../base/clock.js";
import { systemTimers, type Timers } from "../../base/timers.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import { CachedReads } from "./cacher/cached-reads.js";
import { WatchCache } from "./cacher/watch-cache.js";
import { startCompactor } from "./compactor.js";
import type { Kv } from "./kv.js";
import { SCHEMA_EPOCHS_PREFIX } from "./schema-epochs.js";
import { Codecs } from "./store/codecs.js";
import { DirectReads } from "./store/direct-reads.js";
import { KvObjectStore } from "./store/object-store.js";
import { type Reads, RETRY_AFTER_SECONDS } from "./store/reads.js";
import type { ObjectCodec, ObjectStore } from "./store.js";

export interface StorageOptions {
  /** Belongs to the storage from now on. */
  readonly kv: Kv;
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** False: every read asks the store, as kube-apiserver's --watch-cache=false. Default true. */
  readonly watchCache?: boolean;
  /** How long events are kept for watchers that come back. Default 300. */
  readonly historySeconds?: number;
  /** How much of them is kept, in bytes of objects. Default 64 MiB. */
  readonly historyBytes?: number;
  /** What parsed and encoded forms of objects may take in memory, about. Default 48 MiB. */
  readonly hotBytes?: number;
  /** True when stored objects may be of another schema epoch; see {@link claimSchemaEpoch}. Default false. */
  readonly upgrades?: boolean;
  /** How often the past is forgotten, as kube-apiserver's --etcd-compaction-interval; 0 for never. Default 300. */
  readonly compactionSeconds?: number;
}

export interface StoreConfig {
  /** Where the resource's keys begin, ending in "/": "/registry/pods/". One prefix may not begin another. */
  readonly prefix: string;
  /** Named in errors. */
  readonly resource: GroupResource;
  readonly codec: ObjectCodec;
}

/** All objects of a server: one key-value store, one watch cache over it, one view for each resource. */
export interface Storage {
  /** Resolves when reads can be served. They wait for it themselves. */
  ready(): Promise<void>;
  /** May be called at any time. A second call for a prefix replaces its codec, as a changed custom resource needs. */
  storeFor(config: StoreConfig): ObjectStore;
  /** The revision of the last acknowledged write. */
  currentRevision(): Promise<number>;
  /** Rejects while writes cannot be expected to succeed. */
  check(): Promise<void>;
  /** Ends watches, finishes writes and closes the key-value store. Idempotent. */
  close(): Promise<void>;
}

export function createStorage(options: StorageOptions): Storage {
  const { kv, clock = systemClock, timers = systemTimers } = options;
  const codecs = new Codecs(options.hotBytes ?? 48 * 2 ** 20, options.upgrades);
  codecs.register(SCHEMA_EPOCHS_PREFIX, OPAQUE);
  const reads = openReads(options, codecs, clock, timers);
  const compaction = (options.compactionSeconds ?? 300) * 1000;
  const stopCompactor = compaction > 0 ? startCompactor(kv, timers, compaction) : () => {};
  return {
    ready: () => reads.ready(),
    storeFor({ prefix, resource, codec }) {
      codecs.register(prefix, codec);
      return new KvObjectStore({ kv, reads, codecs, timers, prefix, resource, codec });
    },
    currentRevision: () => kv.currentRevision(),
    check: () => kv.check(),
    async close() {
      stopCompactor();
      // The store first: it finishes its writes, and the cache shows them to those who wait.
      try {
        await kv.close();
      } finally {
        await reads.close();
      }
    },
  };
}

/** Of what is no API object. */
const OPAQUE: ObjectCodec = {
  decode: () => ({}),
  encode: () => new Uint8Array(),
  attributes: () => ({ labels: {}, fields: {} }),
};

function openReads(options: StorageOptions, codecs: Codecs, clock: Clock, timers: Timers): Reads {
  const { kv } = options;
  const direct = new DirectReads(kv, codecs, clock, options.watchCache === false ? 0 : RETRY_AFTER_SECONDS);
  if (options.watchCache === false) return direct;
  const limits = {
    events: 200_000,
    bytes: options.historyBytes ?? 32 * 2 ** 20,
    milliseconds: (options.historySeconds ?? 300) * 1000,
    keep: 1000,
  };
  return new CachedReads(new WatchCache({ kv, clock, timers, limits, codecs }), kv, direct);
}
