import type { StatusError } from "../../../machinery/errors/status-error.js";
import { prefixEnd } from "../../../base/key-order.js";
import type { OrderedMap } from "../../../base/ordered-map.js";
import type { EventReader } from "../event-log.js";
import type { CompactedError, Kv } from "../kv.js";
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

/** How often a store is asked again how far its watch has come, and how long one is trusted to say so by itself. */
const PROGRESS_MILLISECONDS = 100;

/**
 * Reads from the watch cache. A read that must be current waits until the cache is; where the store's watch cannot be
 * trusted to say so, or does not in time, the store itself is read.
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
    // One question either way: for the revision or for the object itself.
    const object = await this.direct.latestOf(key);
    const cached = this.cache.root.get(key);
    return cached !== undefined && cached.revision === object?.revision ? cached : object;
  }

  async notOlderOf(key: string, revision: number): Promise<KvObject | undefined> {
    return (await this.#reaches(revision)) ? this.cache.root.get(key) : this.direct.notOlderOf(key, revision);
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
    // The store may remember longer than the cache.
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
      // The store cannot be asked; what is known is what is told.
    }
  }

  async acknowledged(key: string, revision: number): Promise<KvObject | undefined> {
    // Other stores may be slow to tell, and do not need to: who must see the write asks them.
    if (this.kv.freshness !== "every-revision") return undefined;
    await this.cache.waitFor(revision);
    const cached = this.cache.root.get(key);
    return cached?.revision === revision ? cached : undefined;
  }

  close(): Promise<void> {
    return this.cache.close();
  }

  /** Returns true when the cache shows everything that was acknowledged before this call. */
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

  /** Returns true when the cache shows `revision` or later, false when that may never be. Throws 504 when it does not come. */
  async #reaches(revision: number): Promise<boolean> {
    const { cache, kv } = this;
    await cache.ready();
    // Whatever is at hand need not be the latest, but it is not what was at hand before a restart.
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
