import { type Clock, systemClock } from "../../../base/time/clock.js";
import { systemTimers, type Timers } from "../../../base/time/timers.js";
import { Expiry } from "../expiry.js";
import {
  ClosedError,
  type KeyValue,
  KeyExistsError,
  type Kv,
  type ListOptions,
  type ListResult,
  type WatchBatch,
} from "../kv.js";
import { RevisionedMap } from "../revisioned-map.js";

export interface MemoryKvOptions {
  /** Expires keys. */
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** The revision of the first state. Default 1. */
  readonly revision?: number;
  /** Events kept for watchers and old revisions. Older ones are compacted. Default 20,000. */
  readonly historyEvents?: number;
  /** The same limit in bytes of their values. Default 64 MiB. */
  readonly historyBytes?: number;
}

/**
 * Opens a new, empty store in the memory of this process. It keeps values without copying: do not change
 * them.
 */
export function openMemoryKv(options: MemoryKvOptions = {}): Kv {
  return new MemoryKv(options);
}

class MemoryKv implements Kv {
  readonly freshness = "every-revision";
  #closed = false;
  readonly #map: RevisionedMap;
  readonly #expiry: Expiry;
  readonly #clock: Clock;

  constructor(options: MemoryKvOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#map = new RevisionedMap({
      clock: this.#clock,
      revision: options.revision ?? 1,
      limits: { events: options.historyEvents ?? 20_000, bytes: options.historyBytes ?? 64 * 2 ** 20 },
    });
    this.#expiry = new Expiry(this.#clock, options.timers ?? systemTimers, ({ key, revision }) => {
      if (this.#map.get(key)?.revision === revision) this.#map.remove(key);
    });
  }

  async create(key: string, value: Uint8Array, options: { ttlSeconds?: number } = {}): Promise<{ revision: number }> {
    this.#assertOpen();
    if (this.#map.get(key) !== undefined) throw new KeyExistsError(key);
    return this.#put(key, value, options.ttlSeconds);
  }

  async get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }> {
    this.#assertOpen();
    return { kv: this.#map.get(key), revision: this.#map.revision };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#assertOpen();
    return this.#map.list(prefix, options);
  }

  async update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options: { ttlSeconds?: number } = {},
  ): Promise<{ revision: number }> {
    this.#assertOpen();
    this.#map.expect(key, expectedRevision);
    return this.#put(key, value, options.ttlSeconds);
  }

  async delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }> {
    this.#assertOpen();
    const previous = this.#map.expect(key, expectedRevision);
    return { revision: this.#map.remove(key), previous };
  }

  async *watch(prefix: string, fromRevision: number, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
    this.#assertOpen();
    yield* this.#map.watch(prefix, fromRevision, signal);
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    this.#map.compact(revision);
  }

  async count(prefix: string): Promise<number> {
    this.#assertOpen();
    return this.#map.count(prefix);
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen();
    return this.#map.revision;
  }

  async check(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#expiry.stop();
    this.#map.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new ClosedError();
  }

  #put(key: string, value: Uint8Array, ttlSeconds: number | undefined): { revision: number } {
    const revision = this.#map.put(key, value);
    if (ttlSeconds !== undefined && ttlSeconds > 0) {
      this.#expiry.add({ key, revision, at: this.#clock.now() + ttlSeconds * 1000 });
    }
    return { revision };
  }
}
