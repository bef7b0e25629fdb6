import { type Clock, systemClock } from "../../../base/time/clock.js";
import { compareKeys, prefixEnd } from "../../../base/collections/key-order.js";
import { OrderedMap } from "../../../base/collections/ordered-map.js";
import { systemTimers, type Timers } from "../../../base/time/timers.js";
import { EventLog, type EventReader } from "../event-log.js";
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
  type WatchBatch,
} from "../kv.js";
import { Snapshots } from "../snapshots.js";

export interface MemoryKvOptions {
  /** Expires keys. */
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** Events kept for watchers and old revisions. Older ones are compacted. Default 20,000. */
  readonly historyEvents?: number;
  /** The same limit in bytes of their values. Default 64 MiB. */
  readonly historyBytes?: number;
}

/**
 * Opens a new, empty store at revision 1, in the memory of this process. It keeps values without copying: do not change
 * them.
 */
export function openMemoryKv(options: MemoryKvOptions = {}): Kv {
  return new MemoryKv(options);
}

class MemoryKv implements Kv {
  readonly freshness = "every-revision";
  #root = OrderedMap.empty<KeyValue>();
  #revision = 1;
  #closed = false;
  readonly #log: EventLog<KvEvent>;
  readonly #snapshots = new Snapshots<KeyValue>();
  readonly #expiry: Expiry;
  readonly #clock: Clock;

  constructor(options: MemoryKvOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#log = new EventLog<KvEvent>({
      clock: this.#clock,
      floor: this.#revision,
      limits: {
        events: options.historyEvents ?? 20_000,
        bytes: options.historyBytes ?? 64 * 2 ** 20,
        milliseconds: Number.POSITIVE_INFINITY,
        keep: 0,
      },
      weigh: (event) => 256 + (event.value?.byteLength ?? 0),
    });
    this.#expiry = new Expiry(this.#clock, options.timers ?? systemTimers, ({ key, revision }) => {
      if (this.#root.get(key)?.revision === revision) this.#remove(key);
    });
  }

  async create(key: string, value: Uint8Array, options: { ttlSeconds?: number } = {}): Promise<{ revision: number }> {
    this.#assertOpen();
    if (this.#root.get(key) !== undefined) throw new KeyExistsError(key);
    return this.#put("create", key, value, undefined, options.ttlSeconds);
  }

  async get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }> {
    this.#assertOpen();
    return { kv: this.#root.get(key), revision: this.#revision };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#assertOpen();
    const revision = options.revision ?? this.#revision;
    const root = this.#rootAt(revision);
    const limit = options.limit === undefined || options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
    const from = options.startAfter === undefined ? prefix : laterKey(prefix, `${options.startAfter}\0`);
    const items: KeyValue[] = [];
    root.scan(from, (key, kv) => {
      if (items.length >= limit || !key.startsWith(prefix)) return false;
      items.push(kv);
      return true;
    });
    const remaining = Math.max(0, root.rank(prefixEnd(prefix)) - root.rank(from)) - items.length;
    if (remaining > 0) this.#snapshots.remember(revision, root);
    return { items, revision, remaining };
  }

  async update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options: { ttlSeconds?: number } = {},
  ): Promise<{ revision: number }> {
    this.#assertOpen();
    return this.#put("update", key, value, this.#expect(key, expectedRevision), options.ttlSeconds);
  }

  async delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }> {
    this.#assertOpen();
    const previous = this.#expect(key, expectedRevision);
    return { revision: this.#remove(key), previous };
  }

  async *watch(prefix: string, fromRevision: number, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
    this.#assertOpen();
    if (fromRevision > this.#revision) throw new FutureRevisionError(fromRevision, this.#revision);
    yield* followReader(this.#log.read(prefix, fromRevision), signal);
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    this.#log.forget(revision);
    this.#snapshots.forget(this.#log.floor);
  }

  async count(prefix: string): Promise<number> {
    this.#assertOpen();
    return this.#root.rank(prefixEnd(prefix)) - this.#root.rank(prefix);
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen();
    return this.#revision;
  }

  async check(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#expiry.stop();
    this.#log.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new ClosedError();
  }

  #expect(key: string, revision: number): KeyValue {
    const current = this.#root.get(key);
    if (current === undefined || current.revision !== revision) throw new RevisionMismatchError(key, current);
    return current;
  }

  #put(
    type: "create" | "update",
    key: string,
    value: Uint8Array,
    previous: KeyValue | undefined,
    ttlSeconds: number | undefined,
  ): { revision: number } {
    const revision = ++this.#revision;
    this.#root = this.#root.set(key, { key, value, createRevision: previous?.createRevision ?? revision, revision });
    if (ttlSeconds !== undefined && ttlSeconds > 0) {
      this.#expiry.add({ key, revision, at: this.#clock.now() + ttlSeconds * 1000 });
    }
    this.#record({ type, key, revision, value, ...(previous && { previous }) });
    return { revision };
  }

  #remove(key: string): number {
    const previous = this.#root.get(key);
    const revision = ++this.#revision;
    this.#root = this.#root.delete(key);
    this.#record({ type: "delete", key, revision, ...(previous && { previous }) });
    return revision;
  }

  #record(event: KvEvent): void {
    this.#log.append([event]);
    this.#snapshots.forget(this.#log.floor);
  }

  #rootAt(revision: number): OrderedMap<KeyValue> {
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    if (revision < this.#log.floor) throw new CompactedError(revision, this.#log.floor);
    return this.#snapshots.at(revision, { revision: this.#revision, root: this.#root }, (to, from, visit) =>
      this.#log.visitBack(to, (event) => {
        if (event.revision <= from) visit({ key: event.key, previous: event.previous });
      }),
    );
  }
}

function laterKey(a: string, b: string): string {
  return compareKeys(a, b) >= 0 ? a : b;
}

/** The size of a batch in events, so that a watcher far behind does not block the event loop. */
const BATCH = 1000;

/** Yields a reader's batches. Ends without an error when `signal` aborts or the store closes. */
export async function* followReader(reader: EventReader<KvEvent>, signal: AbortSignal): AsyncGenerator<WatchBatch> {
  const close = (): void => reader.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    while (!signal.aborted) {
      const events = reader.take(BATCH);
      if (events.length > 0) yield { events, revision: reader.position };
      else await reader.wait();
    }
  } catch (error) {
    if (!(error instanceof ClosedError)) throw error;
  } finally {
    signal.removeEventListener("abort", close);
    reader.close();
  }
}
