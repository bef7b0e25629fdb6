import type { StatusError } from "../../../machinery/errors/status-error.js";
import type { EventReader } from "../event-log.js";
import type { CompactedError } from "../kv.js";
import type { StoredSize } from "../store.js";
import type { KvObject } from "./kv-object.js";

/** An immutable snapshot of the objects below a prefix. */
export interface ObjectView {
  readonly revision: number;
  /**
   * Returns at most `limit` objects from the key `from` on, in key order, and how many follow. Rejects with CompactedError
   * when the state is no longer kept.
   */
  read(from: string, limit: number): Promise<{ readonly objects: readonly KvObject[]; readonly remaining: number }>;
  /** Keeps the state for the next page: a client holds a continue token for it. */
  keep(): void;
}

/** One change of one object. At least one of its two states is present. */
export interface ObjectEvent {
  readonly revision: number;
  readonly key: string;
  /** Absent when the object was deleted. */
  readonly object: KvObject | undefined;
  /** Absent when the object was created. */
  readonly previous: KvObject | undefined;
  /** `previous` at this event's revision, for watches that the object leaves. It is made once and shared. */
  deleted?: KvObject;
}

/**
 * Reads objects from the watch cache or from the key-value store. Prefixes are whole key prefixes ending in "/". A revision
 * that is not reached within {@link PATIENCE_MILLISECONDS} is a 504 StatusError.
 */
export interface Reads {
  /** Resolves when reads can be served. Reads wait for it themselves. */
  ready(): Promise<void>;
  /** The object at `key`, with every write that was acknowledged before the call. */
  latestOf(key: string): Promise<KvObject | undefined>;
  /** The object at `key` in a state not older than `revision`; 0 accepts any state. */
  notOlderOf(key: string, revision: number): Promise<KvObject | undefined>;
  /**
   * The objects below `prefix` that the watch cache holds now, in key order; undefined where there is no cache, or none that is
   * current. It waits for nothing, and is the same list until one of the objects changes.
   */
  now(prefix: string): readonly KvObject[] | undefined;
  /** How much the watch cache holds below `prefix`; undefined where {@link now} is. Left out: there is no watch cache. */
  size?(prefix: string): StoredSize | undefined;
  /**
   * Calls `listener` once: now, where there is an object below `prefix` or no cache that knows, else when the first is created.
   * Never after the returned function is called.
   */
  whenOccupied(prefix: string, listener: () => void): () => void;
  /** A state with every write that was acknowledged before the call. */
  latest(prefix: string): Promise<ObjectView>;
  /** A state not older than `revision`; 0 accepts any state. */
  notOlder(prefix: string, revision: number): Promise<ObjectView>;
  /** The state at `revision`; undefined when it is no longer kept. */
  exactly(prefix: string, revision: number): Promise<ObjectView | undefined>;
  /** True when a list of any state ignores its limit and returns everything. */
  readonly ignoresLimitOfAny: boolean;
  /**
   * The revision after which a watch without initial events starts: `revision` itself, or with 0 the revision of any state.
   * Undefined for a revision that the store has not reached.
   */
  startAfter(revision: number): Promise<number | undefined>;
  /** Reads the events below `prefix` after `revision`. Close the reader after use. */
  follow(prefix: string, revision: number): EventReader<ObjectEvent>;
  /** Brings objects of events to the hub's version, where only another process can. Every other read has done so. */
  upgrade?(objects: Iterable<KvObject | undefined>): Promise<void>;
  /** The error of a watch whose events are no longer kept. */
  tooOld(error: CompactedError): StatusError;
  /**
   * Makes readers that have read everything learn the store's current revision, where the store supports it. Never rejects.
   */
  requestProgress(): Promise<void>;
  /** Resolves when the write at `revision` may be answered, with the object as readers see it if they have it already. */
  acknowledged(key: string, revision: number): Promise<KvObject | undefined>;
  close(): Promise<void>;
}

/** The time that a read waits for a future revision, as in kube-apiserver. */
export const PATIENCE_MILLISECONDS = 3000;
/** The Retry-After of the error that follows. */
export const RETRY_AFTER_SECONDS = 1;
