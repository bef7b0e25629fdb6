import type { StatusError } from "../../../machinery/errors/status-error.js";
import type { EventReader } from "../event-log.js";
import type { CompactedError } from "../kv.js";
import type { KvObject } from "./kv-object.js";

/** One state of the objects below a prefix. It cannot change under its reader. */
export interface ObjectView {
  readonly revision: number;
  /**
   * At most `limit` objects from the key `from` on, in key order, and how many follow them. Rejects with CompactedError
   * when the state is no longer kept.
   */
  read(from: string, limit: number): Promise<{ readonly objects: readonly KvObject[]; readonly remaining: number }>;
  /** Keeps the state at hand: somebody was told how to go on. */
  keep(): void;
}

/** One change to one object. At least one of the two states is there. */
export interface ObjectEvent {
  readonly revision: number;
  readonly key: string;
  /** Absent when the object was deleted. */
  readonly object: KvObject | undefined;
  /** Absent when the object was created. */
  readonly previous: KvObject | undefined;
  /** `previous` at this event's revision, for watchers that see the object go; made once and shared by them. */
  deleted?: KvObject;
}

/**
 * Where objects are read: the watch cache, or the key-value store itself. Prefixes are whole key prefixes ending in "/". A
 * revision that is not reached within {@link PATIENCE_MILLISECONDS} is a StatusError 504.
 */
export interface Reads {
  /** Resolves when reads can be served. They wait for it themselves. */
  ready(): Promise<void>;
  /** The key with everything that was acknowledged before the call. */
  latestOf(key: string): Promise<KvObject | undefined>;
  /** The key not older than `revision`; 0 for whatever is at hand. */
  notOlderOf(key: string, revision: number): Promise<KvObject | undefined>;
  /** Everything that was acknowledged before the call. */
  latest(prefix: string): Promise<ObjectView>;
  /** Not older than `revision`; 0 for whatever is at hand. */
  notOlder(prefix: string, revision: number): Promise<ObjectView>;
  /** Undefined when that state is no longer kept. */
  exactly(prefix: string, revision: number): Promise<ObjectView | undefined>;
  /** Whether a list of whatever is at hand comes whole although a limit was asked for. */
  readonly ignoresLimitOfAny: boolean;
  /**
   * Where a watch without initial events starts that asks for what comes after `revision`: there, or with 0 at what is
   * at hand. Undefined for a revision that the store has not given out.
   */
  startAfter(revision: number): Promise<number | undefined>;
  /** What happens below `prefix` after `revision`. Close it when done. */
  follow(prefix: string, revision: number): EventReader<ObjectEvent>;
  /** What a watch is told that asks for events which are no longer kept. */
  tooOld(error: CompactedError): StatusError;
  /** Has readers that are not behind learn how far the store is, where that can be asked. Never rejects. */
  requestProgress(): Promise<void>;
  /** Resolves when what the store acknowledged at `revision` may be answered; with the object as readers have it, if they do. */
  acknowledged(key: string, revision: number): Promise<KvObject | undefined>;
  close(): Promise<void>;
}

/** How long a read waits for a revision the client saw elsewhere, as the API server does. */
export const PATIENCE_MILLISECONDS = 3000;
/** What the client is told to wait then. */
export const RETRY_AFTER_SECONDS = 1;
