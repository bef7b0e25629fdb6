import type { CancellationToken } from "../../base/async/cancellation.js";
import type { Steps } from "../../base/async/steps.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { FieldSelector } from "../../machinery/selectors/field-selector.js";
import type { LabelSelector } from "../../machinery/selectors/label-selector.js";

/** Encodes and decodes the objects of a kind. The registry builds it from the API facts. */
export interface ObjectCodec {
  /** Decodes stored bytes into the hub's shape, with defaults and without resourceVersion. */
  decode(bytes: Uint8Array): KubeObject;
  /**
   * Brings stored bytes of another schema epoch to the current one: decoded, defaulted, converted to the hub and encoded.
   * Returns the same array when nothing changes. Absent where there is one epoch only.
   */
  upgrade?(bytes: Uint8Array): Uint8Array;
  /**
   * True where any stored bytes may be of another schema, whatever the schema epoch: those of a custom kind, whose definition
   * changes while the server runs. Default false.
   */
  readonly upgradesAlways?: boolean;
  /** {@link upgrade} of bytes that only another process can convert. Absent where there are no such. */
  readonly later?: {
    /** True for bytes that {@link upgrade} cannot bring to the hub's version. */
    needs(bytes: Uint8Array): boolean;
    /** As many as there are given, in their order. Rejects with a StatusError. */
    upgradeMany(stored: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
  };
  /** Encodes an object in the hub's shape: `kind` and `apiVersion` first, without resourceVersion. */
  encode(object: KubeObject): Uint8Array;
  /** {@link encode} in steps. Absent for objects that are always small. */
  encodeSteps?(object: KubeObject): Steps<Uint8Array>;
  /**
   * How many bytes kube-apiserver would store of the object, with its default --storage-media-type; `bytes` are what is stored of it here.
   * It costs an encoding where the two forms differ. Absent where their lengths are the same.
   */
  lengthInEtcd?(object: KubeObject, bytes: Uint8Array): number;
  /**
   * The attributes that selectors match. `fields` holds every field label of the kind, including metadata.name and
   * metadata.namespace.
   */
  attributes(object: KubeObject): ObjectAttributes;
}

export interface ObjectAttributes {
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** One object at one revision. Immutable and shared by all readers. */
export interface StoredObject extends ObjectAttributes {
  readonly key: string;
  readonly revision: number;
  /** The stored bytes, as {@link ObjectCodec.encode} makes them. */
  readonly bytes: Uint8Array;
  /**
   * True when the store holds the object in another schema epoch than {@link bytes}, so that writing them changes the store.
   */
  readonly isStale: boolean;
  /** The parsed object with metadata.resourceVersion. It comes from a bounded cache: do not keep or change it. */
  object(): KubeObject;
  /** {@link object}, but what had to be decoded for it is not kept: for who reads many objects once. */
  peek(): KubeObject;
  /**
   * Encodings of this revision, which endpoints fill lazily and all answers and watch events share, by
   * "<group>/<version>/<kind> <media type>". They come from a bounded cache of their own.
   */
  readonly encodings: Map<string, Uint8Array>;
  /** The place in {@link bytes} where JSON gets its resourceVersion. The serializer keeps it here when it had to look for it. */
  versionPlace?: number | undefined;
}

export type ResourceVersionMatch = "Exact" | "NotOlderThan";

export interface ReadOptions {
  /** "" or absent: the latest state. "0": any state. Otherwise a state not older than this. */
  readonly resourceVersion?: string | undefined;
}

export interface ListObjectsOptions extends ReadOptions {
  /** Whether a list with objects that cannot be read is answered all the same: these throw when they are asked for. Default: as the store is set up. */
  readonly keepsUnreadable?: boolean;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** 0 or absent: no limit. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  /** Returns only the object of this name below the prefix, without pages. Excludes `continue`. */
  readonly name?: string | undefined;
  /** Filters the objects. It reads attributes only, so that objects need not be parsed. */
  readonly predicate?: ((object: StoredObject) => boolean) | undefined;
  /** What {@link predicate} was made of, for storages that select by themselves. */
  readonly selectors?: Selectors | undefined;
  /** A list that is cancelled rejects with REQUEST_IS_OVER at its next step. */
  readonly token?: CancellationToken | undefined;
}

export interface Selectors {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
}

export interface ListOfObjects {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  /** Absent when a predicate is set or no objects remain. */
  readonly remainingItemCount?: number;
}

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";

export interface StoredEvent {
  readonly type: WatchEventType;
  /** For DELETED the last state, with the revision of the deletion. Absent for BOOKMARK. */
  readonly object?: StoredObject;
  /** The event's revision; for BOOKMARK the revision up to which the watch is complete. */
  readonly revision: number;
  /** True for the bookmark that ends the initial events (`k8s.io/initial-events-end`). */
  readonly initialEventsEnd?: boolean;
}

export interface WatchObjectsOptions {
  readonly signal: AbortSignal;
  /**
   * "" or absent: the latest state as initial events. "0": any state as initial events. Otherwise only the events after it.
   */
  readonly resourceVersion?: string | undefined;
  readonly predicate?: ((object: StoredObject) => boolean) | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Requests a streaming list. Undefined keeps the legacy meaning of resourceVersion. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Called once the initial events were taken; at once for a watch without them. */
  readonly onInitialized?: () => void;
  /** When the caller ends the watch. Where bookmarks are allowed, a last one comes two seconds earlier. */
  readonly timeoutMilliseconds?: number | undefined;
}

export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface EncodeOptions {
  /** Encodes a large object in slices of the event loop. */
  readonly inSlices?: boolean;
  /** A write that is cancelled before it is handed to the key-value store rejects with REQUEST_IS_OVER and stores nothing. */
  readonly token?: CancellationToken | undefined;
}

/** An update function returns it to delete the object instead of writing it. */
export const DELETE = Symbol("delete");

/**
 * As {@link DELETE}, for an update that has removed the last finalizer. The client gets the object that the update would have
 * written; watches get the object as it was stored.
 */
export class DeleteInstead {
  constructor(readonly written: KubeObject) {}
}

/** The number and the average size of a resource's stored objects. */
export interface StoredSize {
  readonly count: number;
  /** Bytes of an object, by some of them: it reads them at each call. */
  averageBytes(): number;
}

/**
 * The objects of one resource over a {@link import("./kv.js").Kv}. `key` is the rest of the key below the resource's prefix:
 * "<namespace>/<name>" or "<name>". Errors are StatusErrors: NotFound, AlreadyExists, Conflict, Expired (410).
 */
export interface ObjectStore {
  /** Throws for an object with a resourceVersion. A dry run accepts it and returns it, as kube-apiserver does. */
  create(
    key: string,
    object: KubeObject,
    options?: EncodeOptions & { ttlSeconds?: number; dryRun?: boolean },
  ): Promise<StoredObject>;
  get(key: string, options?: ReadOptions): Promise<StoredObject>;
  /**
   * All objects, as the watch cache holds them now; undefined where it cannot tell. For who asks at every write: it waits for
   * nothing, and is the same list until one of the objects changes.
   */
  now(): readonly StoredObject[] | undefined;
  /** How much is stored, as the watch cache knows; undefined where it cannot tell, or there is none. It costs little. */
  size?(): StoredSize | undefined;
  /** `prefix` is "" or "<namespace>/". */
  list(prefix: string, options?: ListObjectsOptions): Promise<ListOfObjects>;
  /**
   * Reads the object, calls `change` with it (undefined when it is missing and `ignoreNotFound` is set) and writes the
   * result. Starts again when another write came in between, so `change` may run several times; it must not change its
   * argument. A result that encodes to the same bytes is not written, and the current object is returned.
   */
  guaranteedUpdate(
    key: string,
    change: (current: StoredObject | undefined) => Promise<KubeObject | typeof DELETE | DeleteInstead>,
    options?: EncodeOptions & {
      preconditions?: Preconditions | undefined;
      ignoreNotFound?: boolean;
      dryRun?: boolean;
      ttlSeconds?: number;
      /** The object is about to go: marks of its deletion are written however large it is. */
      deletes?: boolean;
    },
  ): Promise<{
    object: StoredObject;
    created: boolean;
    changed: boolean;
    deleted: boolean;
    /** What was deleted, as it was stored last. */
    last?: StoredObject;
  }>;
  /**
   * Removes the key at once. Finalizers and grace periods are left to the registry. `validate` may throw to reject the
   * deletion.
   */
  delete(
    key: string,
    options?: {
      preconditions?: Preconditions | undefined;
      validate?: (current: StoredObject) => Promise<void>;
      dryRun?: boolean;
    },
  ): Promise<StoredObject>;
  /**
   * Removes the key of an object that cannot be decrypted or decoded, whatever it was. Throws Conflict for one that can be read. Absent where
   * there are no such objects.
   */
  deleteUnreadable?(
    key: string,
    options?: { dryRun?: boolean | undefined; token?: CancellationToken | undefined },
  ): Promise<void>;
  /**
   * Rejects with Invalid for a malformed resourceVersion and with 504 for a revision that the store does not reach in time.
   * The iteration throws a 410 StatusError when the events of a revision are no longer kept, at the start or because the
   * reader was too slow. It ends when `signal` aborts or the storage closes.
   */
  watch(prefix: string, options: WatchObjectsOptions): Promise<AsyncIterable<readonly StoredEvent[]>>;
}
