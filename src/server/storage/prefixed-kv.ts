import type { Expiring } from "./expiry.js";
import {
  CompactedError,
  KeyExistsError,
  RevisionMismatchError,
  type KeyValue,
  type Kv,
  type KvEvent,
  type ListOptions,
  type ListResult,
  type StorageCheck,
  type WatchBatch,
} from "./kv.js";

/**
 * A part of a store that several servers share, as etcd's --etcd-prefix makes one on every storage: the keys of a part begin with `prefix` in
 * the store, and a server that has the part reads, lists, watches, counts and compacts nothing else. Revisions are the store's, so those of a
 * part have gaps. A part's compaction hides its own past alone; whoever holds the whole store compacts that. Closing the part closes `kv`.
 */
export function prefixedKv(kv: Kv, prefix: string): Kv {
  return new PrefixedKv(kv, prefix);
}

class PrefixedKv implements Kv {
  readonly freshness: Kv["freshness"];
  readonly requestProgress?: () => Promise<void>;
  readonly expiring?: () => Promise<readonly Expiring[]>;
  #compacted = 0;

  constructor(
    private readonly kv: Kv,
    private readonly prefix: string,
  ) {
    this.freshness = kv.freshness;
    if (kv.expiring !== undefined) this.expiring = async () => this.#ownExpiring((await kv.expiring?.()) ?? []);
    if (kv.requestProgress !== undefined) this.requestProgress = async () => kv.requestProgress?.();
  }

  create(key: string, value: Uint8Array, options?: { ttlSeconds?: number }): Promise<{ revision: number }> {
    return this.kv.create(this.prefix + key, value, options).catch((error: unknown) => this.#fail(error));
  }

  async get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }> {
    const { kv, revision } = await this.kv.get(this.prefix + key);
    return { kv: kv && this.#own(kv), revision };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    const { startAfter, revision } = options;
    if (revision !== undefined) this.#assertKept(revision);
    const within = { ...options, ...(startAfter !== undefined && { startAfter: this.prefix + startAfter }) };
    const { items, ...rest } = await this.kv.list(this.prefix + prefix, within);
    return { ...rest, items: items.map((item) => this.#own(item)) };
  }

  update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options?: { ttlSeconds?: number },
  ): Promise<{ revision: number }> {
    const written = this.kv.update(this.prefix + key, value, expectedRevision, options);
    return written.catch((error: unknown) => this.#fail(error));
  }

  async delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }> {
    const deleted = this.kv.delete(this.prefix + key, expectedRevision);
    const { revision, previous } = await deleted.catch((error: unknown) => this.#fail(error));
    return { revision, previous: this.#own(previous) };
  }

  /**
   * Where every revision has an event, a watch of the whole part reads those of the other parts too, and tells of them only how far it is: its
   * reader must know that nothing of its own is missing.
   */
  async *watch(prefix: string, fromRevision: number, options: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
    this.#assertKept(fromRevision);
    const readsAll = prefix === "" && this.freshness === "every-revision";
    for await (const { events, revision } of this.kv.watch(
      readsAll ? "" : this.prefix + prefix,
      fromRevision,
      options,
    )) {
      yield { events: events.flatMap((event) => this.#ownEvent(event)), revision };
    }
  }

  async compact(revision: number): Promise<void> {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, await this.kv.currentRevision()));
  }

  count(prefix: string): Promise<number> {
    return this.kv.count(this.prefix + prefix);
  }

  currentRevision(): Promise<number> {
    return this.kv.currentRevision();
  }

  check(kind?: StorageCheck): Promise<void> {
    return this.kv.check(kind);
  }

  close(): Promise<void> {
    return this.kv.close();
  }

  #assertKept(revision: number): void {
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
  }

  #own<Keyed extends { readonly key: string }>(keyed: Keyed): Keyed {
    return { ...keyed, key: keyed.key.slice(this.prefix.length) };
  }

  #ownExpiring(all: readonly Expiring[]): readonly Expiring[] {
    return all.filter(({ key }) => key.startsWith(this.prefix)).map((one) => this.#own(one));
  }

  #ownEvent(event: KvEvent): KvEvent[] {
    if (!event.key.startsWith(this.prefix)) return [];
    const { previous } = event;
    return [{ ...this.#own(event), ...(previous && { previous: this.#own(previous) }) }];
  }

  /** Errors name keys as the part has them. */
  #fail(error: unknown): never {
    if (error instanceof KeyExistsError) throw new KeyExistsError(this.#own(error).key);
    if (error instanceof RevisionMismatchError) {
      const { key, current } = error;
      throw new RevisionMismatchError(this.#own({ key }).key, current && this.#own(current));
    }
    throw error;
  }
}
