import { type Clock, systemClock } from "../../../base/clock.js";
import { type Deferred, deferred } from "../../../base/deferred.js";
import { systemTimers, type Timers } from "../../../base/timers.js";
import { EventLog } from "../event-log.js";
import { Expiry } from "../expiry.js";
import {
  ClosedError,
  CompactedError,
  FutureRevisionError,
  type KeyValue,
  KeyExistsError,
  type Kv,
  type KvEvent,
  type ListOptions,
  type ListResult,
  RevisionMismatchError,
  UnavailableError,
  type WatchBatch,
} from "../kv.js";
import type { ExpiringKey, WriteRequest, WriteResult } from "./protocol.js";
import { WorkerClient } from "./worker-client.js";

export interface SqliteKvOptions {
  /** Made when it is missing. Only one store at a time may have it. */
  readonly directory: string;
  /** For times to live. */
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** Revisions kept for watchers and old lists when nothing else compacts. Default 50,000. */
  readonly historyRevisions?: number;
  /** Writes fail rather than let the database grow beyond this. */
  readonly maxBytes?: number;
}

/** Opens the store in `directory`. Throws DataDirectoryError, having changed nothing, when it cannot be had. */
export async function openSqliteKv(options: SqliteKvOptions): Promise<Kv> {
  const { client, opened } = await WorkerClient.start({ directory: options.directory, maxBytes: options.maxBytes });
  return new SqliteKv(client, opened.revision, opened.expiring, options);
}

interface PendingWrite {
  readonly request: WriteRequest;
  readonly done: Deferred<WriteResult>;
}

/** Writes in one commit at most. */
const BATCH = 500;
/** Events read from the database at a time. */
const PAGE = 500;

class SqliteKv implements Kv {
  readonly freshness = "every-revision";
  #revision: number;
  #closing: Promise<void> | undefined;
  /** Of the last commit, if it failed. */
  #failure: UnavailableError | undefined;
  /** Accepted, and waiting for the commit in flight to finish. */
  #pending: PendingWrite[] = [];
  #committing: Promise<void> | undefined;
  #compacted = 0;
  readonly #log: EventLog<KvEvent>;
  readonly #expiry: Expiry;
  readonly #clock: Clock;
  readonly #historyRevisions: number;

  constructor(
    private readonly client: WorkerClient,
    revision: number,
    expiring: readonly ExpiringKey[],
    options: SqliteKvOptions,
  ) {
    this.#revision = revision;
    this.#clock = options.clock ?? systemClock;
    this.#historyRevisions = options.historyRevisions ?? 50_000;
    this.#log = new EventLog<KvEvent>({
      clock: this.#clock,
      floor: revision,
      // The database holds the rest; this is what keeps watchers from asking it.
      limits: { events: 5_000, bytes: 16 * 2 ** 20, milliseconds: Number.POSITIVE_INFINITY, keep: 0 },
      weigh: (event) => 256 + (event.value?.byteLength ?? 0) + (event.previous?.value.byteLength ?? 0),
    });
    this.#expiry = new Expiry(this.#clock, options.timers ?? systemTimers, (entry) => void this.#expire(entry));
    for (const entry of expiring) this.#expiry.add(entry);
  }

  async create(key: string, value: Uint8Array, options: { ttlSeconds?: number } = {}): Promise<{ revision: number }> {
    const result = await this.#write({ type: "create", key, value, ...this.#expires(options.ttlSeconds) });
    if (result.kind === "written") return { revision: result.revision };
    throw new KeyExistsError(key);
  }

  async get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }> {
    this.#assertOpen();
    return this.client.call("get", key);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#assertOpen();
    const answer = await this.client.call("list", { prefix, options });
    if (answer.kind === "compacted") throw new CompactedError(options.revision ?? 0, answer.compacted);
    if (answer.kind === "future") throw new FutureRevisionError(options.revision ?? 0, answer.current);
    return { items: answer.items, revision: answer.revision, remaining: answer.remaining };
  }

  async update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options: { ttlSeconds?: number } = {},
  ): Promise<{ revision: number }> {
    const expires = this.#expires(options.ttlSeconds);
    const result = await this.#write({ type: "update", key, value, expected: expectedRevision, ...expires });
    return { revision: written(key, result).revision };
  }

  async delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }> {
    const result = written(key, await this.#write({ type: "delete", key, expected: expectedRevision }));
    if (result.previous === undefined) throw new RevisionMismatchError(key, undefined);
    return { revision: result.revision, previous: result.previous };
  }

  async *watch(prefix: string, fromRevision: number, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
    this.#assertOpen();
    if (fromRevision > this.#revision) throw new FutureRevisionError(fromRevision, this.#revision);
    let position = fromRevision;
    while (!signal.aborted) {
      if (position < this.#log.floor) {
        const events = await this.#readHistory(position);
        position = events.at(-1)?.revision ?? this.#log.floor;
        const mine = events.filter(({ key }) => key.startsWith(prefix));
        if (mine.length > 0) yield { events: mine, revision: position };
        continue;
      }
      const reader = this.#log.read(prefix, position);
      try {
        while (!signal.aborted) {
          const events = reader.take(PAGE);
          position = reader.position;
          if (events.length > 0) yield { events, revision: position };
          else await reader.wait(signal);
        }
      } catch (error) {
        if (error instanceof ClosedError) return;
        // Too slow for memory; the database may still have it.
        if (!(error instanceof CompactedError)) throw error;
      } finally {
        reader.close();
      }
    }
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    this.#compacted = await this.client.call("compact", revision);
    this.#log.forget(this.#compacted);
  }

  async count(prefix: string): Promise<number> {
    this.#assertOpen();
    return this.client.call("count", prefix);
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen();
    return this.#revision;
  }

  async check(): Promise<void> {
    this.#assertOpen();
    if (this.#failure === undefined) return;
    // Nothing else may be writing: an empty commit shows whether the next one can succeed.
    await this.client.call("write", []);
    this.#failure = undefined;
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    this.#expiry.stop();
    while (this.#committing !== undefined) await this.#committing;
    this.#log.close();
    try {
      await this.client.call("close", undefined);
    } finally {
      await this.client.exited;
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new ClosedError();
  }

  #expires(ttlSeconds: number | undefined): { expiresAt?: number } {
    return ttlSeconds === undefined || ttlSeconds <= 0 ? {} : { expiresAt: this.#clock.now() + ttlSeconds * 1000 };
  }

  async #write(request: WriteRequest): Promise<WriteResult> {
    this.#assertOpen();
    const done = deferred<WriteResult>();
    this.#pending.push({ request, done });
    this.#committing ??= this.#commitAll();
    return done.promise;
  }

  /** Commits until nothing is pending. What arrives during one commit makes up the next. */
  async #commitAll(): Promise<void> {
    // Everything that the caller sends in this turn belongs to the first batch.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, BATCH);
      try {
        const results = await this.client.call(
          "write",
          batch.map(({ request }) => portable(request)),
        );
        this.#failure = undefined;
        this.#publish(batch, results);
      } catch (error) {
        this.#failure = new UnavailableError(error instanceof Error ? error.message : String(error), "not-done");
        for (const { done } of batch) done.reject(this.#failure);
      }
    }
    this.#committing = undefined;
  }

  /** The commit is on disk: now readers and watchers may see it, then its writers are told. */
  #publish(batch: readonly PendingWrite[], results: readonly WriteResult[]): void {
    const events: KvEvent[] = [];
    for (const [index, { request }] of batch.entries()) {
      const result = results[index];
      if (result?.kind !== "written") continue;
      const { revision, previous } = result;
      this.#revision = revision;
      events.push({
        type: request.type,
        key: request.key,
        revision,
        ...(request.type !== "delete" && { value: request.value }),
        ...(previous && { previous }),
      });
      if (request.type !== "delete" && request.expiresAt !== undefined) {
        this.#expiry.add({ key: request.key, revision, at: request.expiresAt });
      }
    }
    this.#log.append(events);
    for (const [index, { done }] of batch.entries()) {
      const result = results[index];
      if (result === undefined) done.reject(new Error("storage: a write was not answered"));
      else done.resolve(result);
    }
    this.#limitHistory();
  }

  #limitHistory(): void {
    const excess = this.#revision - this.#compacted - this.#historyRevisions;
    if (excess <= this.#historyRevisions / 10) return;
    this.#compacted = this.#revision - this.#historyRevisions;
    this.client.call("compact", this.#compacted).catch(() => {
      // It is tried again with the next excess.
    });
  }

  async #readHistory(after: number): Promise<readonly KvEvent[]> {
    const answer = await this.client.call("events", { after, limit: PAGE });
    if (answer.kind === "compacted") throw new CompactedError(after, answer.compacted);
    return answer.events.map(({ value, previous, ...event }) => ({
      ...event,
      ...(value && { value }),
      ...(previous && { previous }),
    }));
  }

  async #expire({ key, revision }: ExpiringKey): Promise<void> {
    try {
      await this.#write({ type: "delete", key, expected: revision });
    } catch {
      // The store is closing or failed; the key is looked at again when it is next opened.
    }
  }
}

function written(key: string, result: WriteResult): Extract<WriteResult, { kind: "written" }> {
  if (result.kind === "written") return result;
  throw new RevisionMismatchError(key, result.kind === "mismatch" ? result.current : undefined);
}

/** A view of a larger buffer would take the whole of it to the other thread. */
function portable(request: WriteRequest): WriteRequest {
  if (request.type === "delete" || request.value.byteLength === request.value.buffer.byteLength) return request;
  return { ...request, value: Uint8Array.from(request.value) };
}
