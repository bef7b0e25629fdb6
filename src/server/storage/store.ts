import type { KubeObject } from "../../machinery/meta/object.js";

/** What a store must know of the kind it keeps; supplied by registry, which takes it from the API facts. */
export interface ObjectCodec {
  /** Storage bytes to the hub object (decoded, defaulted, without resourceVersion). */
  decode(bytes: Uint8Array): KubeObject;
  /**
   * Storage bytes of another schema epoch as {@link encode} makes them today: decoded, defaulted, converted to the hub. The
   * same array when nothing changes. Absent where that cannot happen.
   */
  upgrade?(bytes: Uint8Array): Uint8Array;
  /** Hub object to storage bytes: `kind` and `apiVersion` first, no resourceVersion. */
  encode(object: KubeObject): Uint8Array;
  /** What selectors match on. `fields` holds every field selector this kind knows, metadata.name and .namespace included. */
  attributes(object: KubeObject): ObjectAttributes;
}

export interface ObjectAttributes {
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** One object at one revision. Immutable and shared by all its readers. */
export interface StoredObject extends ObjectAttributes {
  readonly key: string;
  readonly revision: number;
  /** Storage bytes, as {@link ObjectCodec.encode} makes them. */
  readonly bytes: Uint8Array;
  /** What is stored is of another schema epoch than {@link bytes}: writing them changes something. */
  readonly isStale: boolean;
  /** Parsed, with metadata.resourceVersion set. From a bounded cache: never keep it and never change it. */
  object(): KubeObject;
  /**
   * A slot for encodings of this revision, made lazily by endpoints and shared by every answer and watch event,
   * keyed by "<group>/<version>/<kind> <media type>".
   */
  readonly encodings: Map<string, Uint8Array>;
}

export type ResourceVersionMatch = "Exact" | "NotOlderThan";

export interface ReadOptions {
  /** "" or absent: the most recent. "0": whatever the cache holds. Otherwise not older than this. */
  readonly resourceVersion?: string | undefined;
}

export interface ListObjectsOptions extends ReadOptions {
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** 0 or absent: everything. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  /** The object of this name below the prefix is all that is wanted. It comes without pages; not together with `continue`. */
  readonly name?: string | undefined;
  /** Keeps what it answers true for. Runs on attributes only, so nothing is parsed. */
  readonly predicate?: ((object: StoredObject) => boolean) | undefined;
}

export interface ListOfObjects {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  /** Absent when a predicate is set or nothing remains. */
  readonly remainingItemCount?: number;
}

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";

export interface StoredEvent {
  readonly type: WatchEventType;
  /** For DELETED the last state, with the revision of the deletion. Absent for BOOKMARK. */
  readonly object?: StoredObject;
  /** Revision of this event; for BOOKMARK the revision the watcher has seen. */
  readonly revision: number;
  /** Marks the bookmark that ends the initial events (`k8s.io/initial-events-end`). */
  readonly initialEventsEnd?: boolean;
}

export interface WatchObjectsOptions {
  readonly signal: AbortSignal;
  /** "" or absent: initial state, then events. "0": the same from cache. Otherwise events after it. */
  readonly resourceVersion?: string | undefined;
  readonly predicate?: ((object: StoredObject) => boolean) | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  /** The streaming list: undefined keeps the legacy meaning of resourceVersion. */
  readonly sendInitialEvents?: boolean | undefined;
  /** When the caller will end the watch; a last bookmark comes two seconds before, where bookmarks are allowed. */
  readonly timeoutMilliseconds?: number | undefined;
}

export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Returned by an update function to delete the object instead of writing it (the last finalizer is gone). */
export const DELETE = Symbol("delete");

/**
 * Objects of one resource over a {@link import("./kv.js").Kv}. `key` is the rest of the key below the resource's prefix:
 * "<namespace>/<name>" or "<name>". Errors are StatusErrors: NotFound, AlreadyExists, Conflict, Expired (410).
 */
export interface ObjectStore {
  /** An object with a resourceVersion is refused; a dry run takes it and answers it, as kube-apiserver's does. */
  create(key: string, object: KubeObject, options?: { ttlSeconds?: number; dryRun?: boolean }): Promise<StoredObject>;
  get(key: string, options?: ReadOptions): Promise<StoredObject>;
  /** `prefix` is "" or "<namespace>/". */
  list(prefix: string, options?: ListObjectsOptions): Promise<ListOfObjects>;
  /**
   * Reads, calls `change` on the current object (undefined when missing and `ignoreNotFound`), writes the result if
   * nothing was written in between, else starts again. `change` may run several times and must not change its
   * argument. When the result encodes to the same bytes nothing is written and the current object is returned.
   */
  guaranteedUpdate(
    key: string,
    change: (current: StoredObject | undefined) => Promise<KubeObject | typeof DELETE>,
    options?: {
      preconditions?: Preconditions | undefined;
      ignoreNotFound?: boolean;
      dryRun?: boolean;
      ttlSeconds?: number;
    },
  ): Promise<{ object: StoredObject; created: boolean; changed: boolean; deleted: boolean }>;
  /** Removes the key at once; finalizers and grace are the registry's business. `validate` may throw to refuse. */
  delete(
    key: string,
    options?: {
      preconditions?: Preconditions | undefined;
      validate?: (current: StoredObject) => Promise<void>;
      dryRun?: boolean;
    },
  ): Promise<StoredObject>;
  /**
   * Rejects with Invalid for a malformed resourceVersion and with 504 for one that does not come. A revision that is no
   * longer kept (too old to begin with, or the reader was too slow) is a StatusError 410 thrown by the iteration. The
   * iteration ends when `signal` aborts or the storage closes.
   */
  watch(prefix: string, options: WatchObjectsOptions): Promise<AsyncIterable<readonly StoredEvent[]>>;
}
