import { type Clock, systemClock } from "../../../base/time/clock.js";
import { type Deferred, deferred } from "../../../base/async/deferred.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { laterKey, prefixEnd } from "../../../base/collections/key-order.js";
import { systemTimers, type Timers } from "../../../base/time/timers.js";
import { soon } from "../../../base/async/turns.js";
import { EventLog } from "../event-log.js";
import { Expiry } from "../expiry.js";
import { watchHistory } from "../history-watch.js";
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
  type Restored,
  RevisionMismatchError,
  UnavailableError,
  type WatchBatch,
} from "../kv.js";
import { DataDirectoryError } from "./data-directory-error.js";
import {
  unpackValues,
  type CallName,
  type Calls,
  type ExpiringKey,
  type NoSuchRevision,
  type WriteRequest,
  type WriteResult,
} from "./protocol.js";
import { WorkerClient } from "./worker-client.js";

export interface SqliteKvOptions {
  /** Created when it is missing. Only one store at a time can open it. */
  readonly directory: string;
  /** Expires keys. */
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** Revisions kept for watchers and old lists unless {@link Kv.compact} removes them earlier. Default 50,000. */
  readonly historyRevisions?: number;
  /** The size limit of the database. Writes beyond it fail. */
  readonly maxBytes?: number;
}

/** Opens the store in `directory`. Throws DataDirectoryError, without a change, when the directory cannot be used. */
export async function openSqliteKv(options: SqliteKvOptions): Promise<Kv> {
  const { client, opened } = await WorkerClient.start({ directory: options.directory, maxBytes: options.maxBytes });
  return new SqliteKv(client, opened.revision, opened.expiring, options);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface PendingWrite {
  readonly request: WriteRequest;
  readonly done: Deferred<WriteResult>;
}

/** Writes sent to the thread at a time. */
const BATCH = 500;
/** The delay before an expired key whose delete failed is deleted again. */
const EXPIRE_AGAIN_MILLISECONDS = 10_000;

/** The end of a list's page, so that the next page need not count the remaining keys. */
interface LastPage {
  readonly prefix: string;
  readonly revision: number;
  readonly key: string;
  readonly remaining: number;
}

/**
 * A store whose database runs in a worker thread. The thread commits together the writes that arrive during a commit. This
 * class sends the writes, and shows them to readers and watchers once the thread reports them durable.
 */
class SqliteKv implements Kv {
  readonly freshness = "every-revision";
  #revision: number;
  #closing: Promise<void> | undefined;
  /** Writes of this turn of the event loop that are not sent yet. */
  #pending: PendingWrite[] = [];
  #lastPage: LastPage | undefined;
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
      // Older events are read from the database. These limits spare most watchers that.
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
    return this.#call("get", key);
  }

  /** Reads page by page at one revision, so that writers never wait for a whole list. */
  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    for (;;) {
      try {
        return await this.#listOnce(prefix, options);
      } catch (error) {
        // Compaction overtook a list of the current state. The list starts again.
        if (!(error instanceof CompactedError) || options.revision !== undefined) throw error;
      }
    }
  }

  async #listOnce(prefix: string, options: ListOptions): Promise<ListResult> {
    const { startAfter } = options;
    const limit = options.limit === undefined || options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
    const end = prefixEnd(prefix);
    const items: KeyValue[] = [];
    let from = startAfter === undefined ? prefix : laterKey(prefix, `${startAfter}\0`);
    for (let { revision } = options; ; ) {
      const page = exists(revision, await this.#call("page", { from, end, revision, limit: limit - items.length }));
      const values = unpackValues(page.values);
      for (const [index, item] of page.items.entries()) {
        items.push({ ...item, value: values[index] ?? new Uint8Array() });
        from = `${item.key}\0`;
      }
      revision = page.revision;
      if (page.more && items.length < limit) continue;
      const remaining = page.more ? await this.#remaining({ prefix, startAfter, from, revision }, items.length) : 0;
      const last = items.at(-1);
      this.#lastPage = last && { prefix, revision, key: last.key, remaining };
      return { items, revision, remaining };
    }
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
    yield* watchHistory(
      { log: () => this.#log, read: (after) => this.#readHistory(after) },
      prefix,
      fromRevision,
      signal,
    );
  }

  async compact(revision: number): Promise<void> {
    this.#compacted = await this.#call("compact", revision);
    this.#log.forget(this.#compacted);
  }

  async count(prefix: string): Promise<number> {
    return this.#count(prefix, prefixEnd(prefix), undefined);
  }

  recent(limits: Calls["recent"]["ask"]): Promise<number> {
    return this.#call("recent", limits);
  }

  expiring(): Promise<readonly ExpiringKey[]> {
    return this.#call("expiring", undefined);
  }

  async restore({ items, ...rest }: Restored): Promise<void> {
    const copied = items.map((item) => ({ ...item, value: Uint8Array.from(item.value) }));
    await this.#call("restore", { ...rest, items: copied });
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen();
    return this.#revision;
  }

  async check(): Promise<void> {
    await this.#call("check", undefined);
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    this.#expiry.stop();
    this.#send();
    try {
      // The thread answers it after everything that was sent before.
      await this.client.call("close", undefined);
    } finally {
      this.#log.close();
      await this.client.exited;
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new ClosedError();
  }

  async #call<N extends CallName>(name: N, ask: Calls[N]["ask"]): Promise<Calls[N]["answer"]> {
    this.#assertOpen();
    try {
      return await this.client.call(name, ask);
    } catch (error) {
      throw this.#closing === undefined ? unavailable(error) : new ClosedError();
    }
  }

  async #remaining(
    page: {
      readonly prefix: string;
      readonly startAfter: string | undefined;
      readonly from: string;
      readonly revision: number;
    },
    listed: number,
  ): Promise<number> {
    const { prefix, startAfter, from, revision } = page;
    const last = this.#lastPage;
    if (last?.prefix === prefix && last.revision === revision && last.key === startAfter)
      return last.remaining - listed;
    return this.#count(from, prefixEnd(prefix), revision);
  }

  /** Counts the keys in [`from`, `end`) at `at`, page by page for the same reason. */
  async #count(from: string, end: string, at: number | undefined): Promise<number> {
    let total = 0;
    for (let revision = at; ; ) {
      const answer = await this.#call("count", { from, end, revision });
      if ("kind" in answer) {
        if (at === undefined) return this.#count(from, end, at);
        throw noSuchRevision(at, answer);
      }
      total += answer.count;
      if (answer.last === undefined) return total;
      from = `${answer.last}\0`;
      revision = answer.revision;
    }
  }

  #expires(ttlSeconds: number | undefined): { expiresAt?: number } {
    return ttlSeconds === undefined || ttlSeconds <= 0 ? {} : { expiresAt: this.#clock.now() + ttlSeconds * 1000 };
  }

  async #write(request: WriteRequest): Promise<WriteResult> {
    this.#assertOpen();
    const done = deferred<WriteResult>();
    this.#pending.push({ request, done });
    // Waking the thread costs more than a write, so the writes of one turn of the event loop are sent together.
    if (this.#pending.length === 1) soon(() => this.#send());
    return done.promise;
  }

  #send(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (let from = 0; from < pending.length; from += BATCH) void this.#commit(pending.slice(from, from + BATCH));
  }

  async #commit(batch: readonly PendingWrite[]): Promise<void> {
    try {
      const results = await this.client.call(
        "write",
        batch.map(({ request }) => portable(request)),
      );
      this.#publish(batch, results);
    } catch (error) {
      const reason = unavailable(error);
      for (const { done } of batch) done.reject(reason);
    }
  }

  /** Publishes durable writes: first to readers and watchers, then to the callers. */
  #publish(batch: readonly PendingWrite[], results: readonly WriteResult[]): void {
    const events: KvEvent[] = [];
    for (const [index, { request }] of batch.entries()) {
      const result = results[index];
      if (result?.kind !== "written") continue;
      const { revision, previous } = result;
      this.#revision = revision;
      const event: Writable<KvEvent> = { type: request.type, key: request.key, revision };
      if (request.type !== "delete") event.value = request.value;
      if (previous !== undefined) event.previous = previous;
      events.push(event);
      if (request.type !== "delete" && request.expiresAt !== undefined) {
        this.#expiry.add({ key: request.key, revision, at: request.expiresAt });
      }
    }
    this.#log.append(events);
    for (const [index, { done }] of batch.entries()) {
      const result = results[index];
      if (result === undefined) done.reject(new Error("the storage thread did not answer a write"));
      else done.resolve(result);
    }
    this.#limitHistory();
  }

  #limitHistory(): void {
    const excess = this.#revision - this.#compacted - this.#historyRevisions;
    if (excess <= this.#historyRevisions / 10) return;
    this.#compacted = this.#revision - this.#historyRevisions;
    this.client.call("compact", this.#compacted).catch(() => {
      // The next excess compacts again.
    });
  }

  async #readHistory(after: number): Promise<readonly KvEvent[]> {
    const page = exists(after, await this.#call("events", after));
    const values = unpackValues(page.values).values();
    const previousValues = unpackValues(page.previousValues).values();
    const next = (from: Iterator<Uint8Array>): Uint8Array => from.next().value ?? new Uint8Array();
    return page.events.map(({ type, key, revision, previous }) => ({
      type,
      key,
      revision,
      ...(type !== "delete" && { value: next(values) }),
      ...(previous && { previous: { key, value: next(previousValues), ...previous } }),
    }));
  }

  async #expire(entry: ExpiringKey): Promise<void> {
    try {
      await this.#write({ type: "delete", key: entry.key, expected: entry.revision });
    } catch {
      if (this.#closing === undefined) {
        this.#expiry.add({ ...entry, at: this.#clock.now() + EXPIRE_AGAIN_MILLISECONDS });
      }
    }
  }
}

/** The error that callers get for a failure in the thread. The outcome is unknown only after a failed flush. */
function unavailable(error: unknown): UnavailableError {
  const unknown = error instanceof DataDirectoryError && error.problem === "unwritable";
  const message = errorMessage(error);
  return new UnavailableError(message, unknown ? "unknown" : "not-done");
}

/** Throws the error for a revision that cannot be read. */
function exists<T extends object>(requested: number | undefined, answer: T | NoSuchRevision): T {
  if ("kind" in answer && (answer.kind === "compacted" || answer.kind === "future")) {
    throw noSuchRevision(requested ?? 0, answer);
  }
  return answer;
}

function noSuchRevision(requested: number, answer: NoSuchRevision): Error {
  if (answer.kind === "compacted") return new CompactedError(requested, answer.compacted);
  return new FutureRevisionError(requested, answer.current);
}

function written(key: string, result: WriteResult): Extract<WriteResult, { kind: "written" }> {
  if (result.kind === "written") return result;
  throw new RevisionMismatchError(key, result.kind === "mismatch" ? result.current : undefined);
}

/** Copies a value that is a view of a larger buffer: the whole buffer would be sent to the thread. */
function portable(request: WriteRequest): WriteRequest {
  if (request.type === "delete" || request.value.byteLength === request.value.buffer.byteLength) return request;
  return { ...request, value: Uint8Array.from(request.value) };
}
