import type { StatusError } from "../../../machinery/errors/status-error.js";
import { prefixEnd } from "../../../base/collections/key-order.js";
import type { OrderedMap } from "../../../base/collections/ordered-map.js";
import type { EventReader } from "../event-log.js";
import type { CompactedError, Kv } from "../kv.js";
import type { StoredSize } from "../store.js";
import { DirectReads } from "../store/direct-reads.js";
import { tooLargeResourceVersion, watchExpired } from "../store/errors.js";
import type { KvObject } from "../store/kv-object.js";
import {
  type ObjectEvent,
  type ObjectView,
  PATIENCE_MILLISECONDS,
  type Reads,
  RETRY_AFTER_SECONDS,
} from "../store/reads.js";
import type { WatchCache } from "./watch-cache.js";

/**
 * The interval of progress requests, and how long the watch may take to reach a revision before the store is read instead.
 */
const PROGRESS_MILLISECONDS = 100;

/** How many objects are looked at to tell the size of one. */
const SAMPLE = 100;

/** The average size of objects that stand evenly among `count` from the place `from` on. */
function averageBytes(root: OrderedMap<KvObject>, from: number, count: number): number {
  const looked = Math.min(SAMPLE, count);
  if (looked === 0) return 0;
  let bytes = 0;
  for (let place = 0; place < looked; place++) {
    bytes += root.at(from + Math.floor((place * count) / looked))?.bytes.length ?? 0;
  }
  return Math.trunc(bytes / looked);
}

/**
 * Serves reads from the watch cache. A consistent read waits until the cache has applied the store's current revision. Where
 * the store's watch does not report its progress reliably or in time, it reads the store itself.
 */
export class CachedReads implements Reads {
  readonly ignoresLimitOfAny = true;

  constructor(
    private readonly cache: WatchCache,
    private readonly kv: Kv,
    private readonly direct: DirectReads,
  ) {}

  ready(): Promise<void> {
    return this.cache.ready();
  }

  async latestOf(key: string): Promise<KvObject | undefined> {
    await this.cache.ready();
    if (this.kv.freshness === "every-revision") {
      await this.#catchUp();
      return this.cache.root.get(key);
    }
    // Reading the object costs one round trip, as asking for the current revision would.
    const object = await this.direct.latestOf(key);
    const cached = this.cache.root.get(key);
    return cached !== undefined && cached.revision === object?.revision ? cached : object;
  }

  async notOlderOf(key: string, revision: number): Promise<KvObject | undefined> {
    return (await this.#reaches(revision)) ? this.cache.root.get(key) : this.direct.notOlderOf(key, revision);
  }

  now(prefix: string): readonly KvObject[] | undefined {
    const { applied, replaying } = this.cache;
    return applied === 0 || replaying ? undefined : this.cache.below(prefix);
  }

  size(prefix: string): StoredSize | undefined {
    const { applied, replaying, root } = this.cache;
    if (applied === 0 || replaying) return undefined;
    const from = root.rank(prefix);
    const count = root.rank(prefixEnd(prefix)) - from;
    return { count, averageBytes: () => averageBytes(root, from, count) };
  }

  whenOccupied(prefix: string, listener: () => void): () => void {
    return this.cache.whenOccupied(prefix, listener);
  }

  async latest(prefix: string): Promise<ObjectView> {
    await this.cache.ready();
    return (await this.#catchUp()) ? this.#now(prefix) : this.direct.latest(prefix);
  }

  async notOlder(prefix: string, revision: number): Promise<ObjectView> {
    return (await this.#reaches(revision)) ? this.#now(prefix) : this.direct.notOlder(prefix, revision);
  }

  async exactly(prefix: string, revision: number): Promise<ObjectView | undefined> {
    const root = (await this.#reaches(revision)) ? this.cache.at(revision) : undefined;
    // The store may keep older states than the cache.
    return root === undefined ? this.direct.exactly(prefix, revision) : this.#view(prefix, root, revision);
  }

  async startAfter(revision: number): Promise<number | undefined> {
    await this.cache.ready();
    const { applied, replaying } = this.cache;
    if (revision === 0 && !replaying) return applied;
    if (revision > 0 && revision <= applied) return revision;
    return this.direct.startAfter(revision);
  }

  follow(prefix: string, revision: number): EventReader<ObjectEvent> {
    return this.cache.log.read(prefix, revision);
  }

  tooOld({ requested, compacted }: CompactedError): StatusError {
    return watchExpired(requested, compacted);
  }

  async requestProgress(): Promise<void> {
    if (this.kv.freshness !== "progress") return;
    try {
      const revision = await this.kv.currentRevision();
      await this.direct.requestProgress();
      await this.cache.waitFor(revision, PROGRESS_MILLISECONDS);
    } catch {
      // The store is unavailable. The watch goes on with what the cache has.
    }
  }

  async acknowledged(key: string, revision: number): Promise<KvObject | undefined> {
    // Such a store's watch may lag. A read that must see this write asks the store.
    if (this.kv.freshness !== "every-revision") return undefined;
    await this.cache.waitFor(revision);
    const cached = this.cache.root.get(key);
    return cached?.revision === revision ? cached : undefined;
  }

  close(): Promise<void> {
    return this.cache.close();
  }

  /** Resolves to true when the cache has applied every write that was acknowledged before this call. */
  async #catchUp(): Promise<boolean> {
    const { cache, kv } = this;
    switch (kv.freshness) {
      case "every-revision":
        return cache.waitFor(await kv.currentRevision());
      case "quorum":
        return false;
      case "progress": {
        const revision = await kv.currentRevision();
        for (let waited = 0; cache.applied < revision && waited < PATIENCE_MILLISECONDS; ) {
          await kv.requestProgress?.();
          await cache.waitFor(revision, PROGRESS_MILLISECONDS);
          waited += PROGRESS_MILLISECONDS;
        }
        return cache.applied >= revision;
      }
    }
  }

  /**
   * Resolves to true when the cache has applied `revision`, to false when it may never do so. Throws a 504 StatusError when
   * the revision is not reached in time.
   */
  async #reaches(revision: number): Promise<boolean> {
    const { cache, kv } = this;
    await cache.ready();
    // Revision 0 accepts any state, but not one from before a restart, which the client may have passed.
    if (revision === 0 && cache.replaying) return false;
    if (cache.applied >= revision) return true;
    if (kv.freshness === "every-revision") {
      if (await cache.waitFor(revision, PATIENCE_MILLISECONDS)) return true;
      throw tooLargeResourceVersion(revision, cache.applied, RETRY_AFTER_SECONDS);
    }
    if (kv.freshness === "progress") void this.direct.requestProgress();
    return cache.waitFor(revision, PROGRESS_MILLISECONDS);
  }

  #now(prefix: string): ObjectView {
    return this.#view(prefix, this.cache.root, this.cache.applied);
  }

  #view(prefix: string, root: OrderedMap<KvObject>, revision: number): ObjectView {
    return {
      revision,
      read: async (from, limit) => {
        const end = prefixEnd(prefix);
        const objects = root.values(from, end, limit);
        return { objects, remaining: Math.max(0, root.rank(end) - root.rank(from) - objects.length) };
      },
      keep: () => this.cache.remember(revision, root),
    };
  }
}
