import type { Clock } from "../../base/time/clock.js";
import { laterKey, prefixEnd } from "../../base/collections/key-order.js";
import { OrderedMap } from "../../base/collections/ordered-map.js";
import { EventLog, type EventLogLimits, type EventReader } from "./event-log.js";
import {
  ClosedError,
  CompactedError,
  FutureRevisionError,
  type KeyValue,
  type KvEvent,
  type ListOptions,
  type ListResult,
  RevisionMismatchError,
  type WatchBatch,
} from "./kv.js";
import { Snapshots } from "./snapshots.js";

export interface RevisionedMapOptions {
  readonly clock: Clock;
  /** The revision of the first state. */
  readonly revision: number;
  /** The keys of the first state. */
  readonly entries?: Iterable<KeyValue>;
  readonly limits: Pick<EventLogLimits, "events" | "bytes">;
}

/** The keys and values of a store in memory, at the current revision and at earlier ones whose events are kept. */
export class RevisionedMap {
  #root = OrderedMap.empty<KeyValue>();
  #revision: number;
  readonly #log: EventLog<KvEvent>;
  readonly #snapshots = new Snapshots<KeyValue>();

  constructor({ clock, revision, entries = [], limits }: RevisionedMapOptions) {
    this.#revision = revision;
    for (const entry of entries) this.#root = this.#root.set(entry.key, entry);
    this.#log = new EventLog<KvEvent>({
      clock,
      floor: revision,
      limits: { ...limits, milliseconds: Number.POSITIVE_INFINITY, keep: 0 },
      weigh: (event) => 256 + (event.value?.byteLength ?? 0),
    });
  }

  get revision(): number {
    return this.#revision;
  }

  get(key: string): KeyValue | undefined {
    return this.#root.get(key);
  }

  /** Throws {@link RevisionMismatchError} unless the key is at `revision`. */
  expect(key: string, revision: number): KeyValue {
    const current = this.#root.get(key);
    if (current === undefined || current.revision !== revision) throw new RevisionMismatchError(key, current);
    return current;
  }

  /** As {@link import("./kv.js").Kv.list}. */
  list(prefix: string, options: ListOptions = {}): ListResult {
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

  count(prefix: string): number {
    return this.#root.rank(prefixEnd(prefix)) - this.#root.rank(prefix);
  }

  /** Sets the key at the next revision, which it returns, and tells watchers. */
  put(key: string, value: Uint8Array): number {
    const previous = this.#root.get(key);
    const revision = ++this.#revision;
    this.#root = this.#root.set(key, { key, value, createRevision: previous?.createRevision ?? revision, revision });
    this.#record({ type: previous ? "update" : "create", key, revision, value, ...(previous && { previous }) });
    return revision;
  }

  /** Removes the key at the next revision, which it returns, and tells watchers. */
  remove(key: string): number {
    const previous = this.#root.get(key);
    const revision = ++this.#revision;
    this.#root = this.#root.delete(key);
    this.#record({ type: "delete", key, revision, ...(previous && { previous }) });
    return revision;
  }

  /** As {@link import("./kv.js").Kv.watch}. */
  async *watch(prefix: string, fromRevision: number, signal: AbortSignal): AsyncGenerator<WatchBatch> {
    if (fromRevision > this.#revision) throw new FutureRevisionError(fromRevision, this.#revision);
    yield* followReader(this.#log.read(prefix, fromRevision), signal);
  }

  compact(revision: number): void {
    this.#log.forget(revision);
    this.#snapshots.forget(this.#log.floor);
  }

  /** Ends watches. */
  close(): void {
    this.#log.close();
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

/** The size of a batch in events, so that a watcher far behind does not block the event loop. */
const BATCH = 1000;

/** Yields a reader's batches. Ends without an error when `signal` aborts or the store closes. */
async function* followReader(reader: EventReader<KvEvent>, signal: AbortSignal): AsyncGenerator<WatchBatch> {
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
