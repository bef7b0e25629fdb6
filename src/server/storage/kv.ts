import { StatusError } from "../../machinery/errors/status-error.js";

/**
 * The storage seam: an ordered key-value store with one revision counter, in etcd's shape.
 * Memory, SQLite and etcd pass one suite (test/suites/kv.ts).
 *
 * Guarantees: every write gets the next revision, in the order it was accepted; nothing of a write (its revision, its
 * value, its event) can be seen before it is durable; events of a watch come in revision order, none lost or repeated.
 */
export interface Kv {
  /** How a reader of a watch learns that it has seen everything. */
  readonly freshness: Freshness;
  /** Throws {@link KeyExistsError} when the key exists. `ttlSeconds` deletes the key that long after this write. */
  create(key: string, value: Uint8Array, options?: { ttlSeconds?: number }): Promise<{ revision: number }>;
  get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }>;
  list(prefix: string, options?: ListOptions): Promise<ListResult>;
  /** Throws {@link RevisionMismatchError} when the key is not at `expectedRevision` (a missing key included). */
  update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options?: { ttlSeconds?: number },
  ): Promise<{ revision: number }>;
  delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }>;
  /**
   * Batches of events with a revision greater than `fromRevision`, oldest first; ends when `signal` aborts or the
   * store closes. Throws {@link CompactedError} when those events are no longer kept, and {@link FutureRevisionError}
   * for a revision that was never given out: whoever holds it has seen another store.
   */
  watch(prefix: string, fromRevision: number, options: { signal: AbortSignal }): AsyncIterable<WatchBatch>;
  /** With freshness "progress": every open watch soon yields a batch, empty if need be, at the revision of now or later. */
  requestProgress?(): Promise<void>;
  /** Forgets events and old values up to and including `revision`. */
  compact(revision: number): Promise<void>;
  count(prefix: string): Promise<number>;
  /** The revision of the last durable write; 1 in a new store. */
  currentRevision(): Promise<number>;
  /** Rejects with {@link UnavailableError} while writes cannot be expected to succeed: what /readyz asks. */
  check(): Promise<void>;
  /** Finishes the writes that were accepted, then releases everything. Idempotent. */
  close(): Promise<void>;
}

export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: number;
  /** Revision of the last write to this key. */
  readonly revision: number;
}

export interface ListOptions {
  /** 0 or absent: everything. */
  readonly limit?: number;
  /** Only keys after this one, in byte order. */
  readonly startAfter?: string;
  /**
   * Read the store as it stood then; absent: now. Throws {@link CompactedError} when that state is gone and
   * {@link FutureRevisionError} when it is yet to come.
   */
  readonly revision?: number;
}

export interface ListResult {
  readonly items: readonly KeyValue[];
  /** The store's revision that this list shows. */
  readonly revision: number;
  /** How many more keys follow the last item. */
  readonly remaining: number;
}

/**
 * "every-revision": a watch of the whole store has an event for each revision. "progress": some revisions may have none,
 * and a watch that was asked by {@link Kv.requestProgress} tells that it passed them. "quorum": a watch cannot be
 * trusted to tell (etcd before 3.4.31 and 3.5.13), so a read that must be current asks the store itself.
 */
export type Freshness = "every-revision" | "progress" | "quorum";

export interface WatchBatch {
  /** All events of one revision are in one batch; empty when the watch only tells how far it has come. */
  readonly events: readonly KvEvent[];
  /** Everything below the prefix up to this revision has been told. */
  readonly revision: number;
}

export interface KvEvent {
  readonly type: "create" | "update" | "delete";
  readonly key: string;
  readonly revision: number;
  /** Absent for a delete. */
  readonly value?: Uint8Array;
  /** What the key held before; absent for a create. */
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
    /** What the key holds now; absent when there is no such key. */
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
 * The store cannot do what was asked: it cannot be reached, or its disk is full or broken. Any call may reject with it.
 * Clients get the message, with code 500, as kube-apiserver passes on what etcd says.
 */
export class UnavailableError extends StatusError {
  constructor(
    message: string,
    /** Whether a write may have happened nevertheless. */
    readonly outcome: "not-done" | "unknown",
  ) {
    super({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
  }
}

/** A read at a revision that no write has reached yet. */
export class FutureRevisionError extends Error {
  override readonly name = "FutureRevisionError";
  constructor(
    readonly requested: number,
    readonly current: number,
  ) {
    super(`revision ${requested} is in the future; the current one is ${current}`);
  }
}

/** What every call answers once {@link Kv.close} was called. */
export class ClosedError extends Error {
  override readonly name = "ClosedError";
  constructor() {
    super("storage is closed");
  }
}
