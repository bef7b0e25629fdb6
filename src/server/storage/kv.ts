import { StatusError } from "../../machinery/errors/status-error.js";
import type { Expiring } from "./expiry.js";

/**
 * The storage interface: an ordered key-value store with one revision counter, modelled on etcd's. Memory, SQLite and etcd
 * pass one suite (storage-tests.ts, "kubets/server/testing").
 *
 * Guarantees: the store assigns revisions to writes in the order in which it accepted them. A write's revision, value and
 * event are invisible before the write is durable. A watch delivers events in revision order, without loss or repetition.
 */
export interface Kv {
  /** How a watch reports that it has delivered every event up to a revision. */
  readonly freshness: Freshness;
  /** Throws {@link KeyExistsError} when the key exists. The key expires `ttlSeconds` after this write. */
  create(key: string, value: Uint8Array, options?: { ttlSeconds?: number }): Promise<{ revision: number }>;
  get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }>;
  list(prefix: string, options?: ListOptions): Promise<ListResult>;
  /** Throws {@link RevisionMismatchError} when the key is missing or not at `expectedRevision`. */
  update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options?: { ttlSeconds?: number },
  ): Promise<{ revision: number }>;
  delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }>;
  /**
   * Yields batches of the events after `fromRevision`, oldest first. Ends when `signal` aborts or the store closes. Throws
   * {@link CompactedError} when those events are compacted, and {@link FutureRevisionError} for a revision that this store
   * has not reached: it comes from another store.
   */
  watch(prefix: string, fromRevision: number, options: { signal: AbortSignal }): AsyncIterable<WatchBatch>;
  /**
   * With freshness "progress": makes every open watch yield a batch, possibly empty, at the current revision or a later one.
   */
  requestProgress?(): Promise<void>;
  /** Removes events and old values up to and including `revision`. */
  compact(revision: number): Promise<void>;
  count(prefix: string): Promise<number>;
  /**
   * The oldest revision after which there were at most so many writes, with values of at most so many bytes together. Absent where
   * the store does not know sizes.
   */
  recent?(limits: { readonly revisions: number; readonly bytes: number }): Promise<number>;
  /** The keys that expire, in no order. Absent where the store cannot tell. */
  expiring?(): Promise<readonly Expiring[]>;
  /**
   * Takes over keys of another store with their revisions, all or none of them. Watches and reads of this object do not show them: open the
   * store anew. Absent where a store gives every write a revision of its own.
   */
  restore?(restored: Restored): Promise<void>;
  /**
   * Whether the key's value at this revision is to be written again although it would not change: what is stored of it is encrypted by a key
   * that is no longer the first. Absent where values are stored as they are.
   */
  isOutdated?(key: string, revision: number): Promise<boolean>;
  /** How large the store's database is, in bytes. Absent where the store does not know. */
  size?(): Promise<number>;
  /** The revision of the last durable write; 1 in a new store. */
  currentRevision(): Promise<number>;
  /** Rejects with {@link UnavailableError} while writes are likely to fail. Each kind of check may have a time limit of its own. */
  check(kind?: StorageCheck): Promise<void>;
  /**
   * From now on changes that were made beside the store, by people who edit its files, go through `apply`, first those from before the
   * store was opened. Resolves when these are applied. Absent where nobody else can change the store's values. Without this call a change
   * is taken as it is.
   */
  outsideEdits?(apply: ApplyOutsideEdit): Promise<void>;
  /** Finishes the accepted writes, then releases all resources. Idempotent. */
  close(): Promise<void>;
}

/** The keys of another store, to be imported. Importing them again changes nothing. */
export interface Restored {
  /** The store is at this revision afterwards, or at its own where that is later, and its history begins there. */
  readonly revision: number;
  /** Each at a revision of its own, at most {@link revision}. What the store has under these keys is replaced. */
  readonly items: readonly RestoredItem[];
  /** Keys to remove. */
  readonly removed: readonly string[];
}

export interface RestoredItem extends KeyValue {
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
}

/** A change of an object that was made in the storage, past the server. */
export interface OutsideEdit {
  /** "" is the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  /** "" for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** Of the object; for one that was removed, of what the store has. */
  readonly apiVersion: string;
  /** In any version of the group; undefined where the object was removed. */
  readonly object: { readonly [field: string]: unknown } | undefined;
  /** Whether the store has the object. */
  readonly exists: boolean;
}

/** Applies an edit as a request of the server itself. Rejects when the request is rejected. */
export type ApplyOutsideEdit = (edit: OutsideEdit) => Promise<void>;

/** The caller of a check: /healthz and /livez, the default, or /readyz alone. */
export type StorageCheck = "health" | "readiness";

export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: number;
  /** The revision of the last write to this key. */
  readonly revision: number;
}

export interface ListOptions {
  /** 0 or absent: no limit. */
  readonly limit?: number;
  /** Returns only keys after this one, in byte order. */
  readonly startAfter?: string;
  /**
   * Reads the state at this revision; absent: the current state. Throws {@link CompactedError} when that state is compacted
   * and {@link FutureRevisionError} when the store has not reached it.
   */
  readonly revision?: number;
}

export interface ListResult {
  readonly items: readonly KeyValue[];
  /** The revision of the state that this list shows. */
  readonly revision: number;
  /** How many keys follow the last item. */
  readonly remaining: number;
}

/**
 * How fresh reads from a watch can be. "every-revision": a watch of the whole store delivers an event for each revision.
 * "progress": some revisions have no event, and {@link Kv.requestProgress} makes a watch report that it has passed them. "quorum":
 * the watch's progress reports are unreliable (etcd before 3.4.31 and 3.5.13), so a consistent read goes to the store itself.
 */
export type Freshness = "every-revision" | "progress" | "quorum";

export interface WatchBatch {
  /** Complete for each revision in the batch; empty when the watch only reports its progress. */
  readonly events: readonly KvEvent[];
  /** The watch has delivered every event below the prefix up to this revision. */
  readonly revision: number;
}

export interface KvEvent {
  readonly type: "create" | "update" | "delete";
  readonly key: string;
  readonly revision: number;
  /** Absent for a delete. */
  readonly value?: Uint8Array;
  /** The key's value before the event; absent for a create. */
  readonly previous?: KeyValue;
}

export class KeyExistsError extends Error {
  override readonly name = "KeyExistsError";
  constructor(readonly key: string) {
    super(`key exists: ${key}`);
  }
}

export class RevisionMismatchError extends Error {
  override readonly name = "RevisionMismatchError";
  constructor(
    readonly key: string,
    /** The key's current value; absent when the key does not exist. */
    readonly current: KeyValue | undefined,
  ) {
    super(`key ${key} is at revision ${current?.revision ?? 0}`);
  }
}

export class CompactedError extends Error {
  override readonly name = "CompactedError";
  constructor(
    readonly requested: number,
    readonly compacted: number,
  ) {
    super(`revision ${requested} has been compacted; the oldest kept is ${compacted + 1}`);
  }
}

/**
 * The store cannot serve the call: it is unreachable, or its disk is full or broken. Any call may reject with it. Clients get the
 * message with code 500, as kube-apiserver passes on etcd's errors.
 */
export class UnavailableError extends StatusError {
  constructor(
    message: string,
    /** "unknown" when the write may have happened nevertheless. */
    readonly outcome: "not-done" | "unknown",
  ) {
    super({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
  }
}

/**
 * The value of a key that is there and cannot be read: whoever asks for its object gets the problem as an error with code 500, and
 * nobody takes the object for absent.
 */
export class UnreadableValue extends Uint8Array {
  constructor(
    readonly problem: string,
    /** What clients are told. Default: the problem. */
    readonly error: StatusError = new UnavailableError(problem, "not-done"),
  ) {
    super(0);
  }
}

/** The error of an unreadable value, for a request that needs the value. */
export const unreadable = ({ error }: UnreadableValue): StatusError => error;

/** A read at a revision that the store has not reached. */
export class FutureRevisionError extends Error {
  override readonly name = "FutureRevisionError";
  constructor(
    readonly requested: number,
    readonly current: number,
  ) {
    super(`revision ${requested} is in the future; the current one is ${current}`);
  }
}

/** Thrown by every call after {@link Kv.close}. */
export class ClosedError extends Error {
  override readonly name = "ClosedError";
  constructor() {
    super("storage is closed");
  }
}

/** etcd's error for a request that is larger than its --max-request-bytes. */
export const REQUEST_IS_TOO_LARGE = "etcdserver: request is too large";

/** The error of Go's etcd client for a message of `size` bytes that it does not send, because its limit is `most`. */
export const messageIsTooLarge = (size: string | number = "", most: string | number = ""): string =>
  `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${most})`;

/**
 * The storage does not take an object of this size, and has written nothing. Clients get code 500 without a reason, as kube-apiserver
 * passes on etcd's errors.
 */
export class TooLargeError extends UnavailableError {
  constructor(message: string) {
    super(message, "not-done");
  }
}
