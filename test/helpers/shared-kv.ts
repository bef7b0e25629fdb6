import { deferred } from "../../src/base/async/deferred.js";
import type { Freshness, Kv, WatchBatch } from "../../src/server/storage/kv.js";
import { openMemoryKv, type MemoryKvOptions } from "../../src/server/storage/memory/memory-kv.js";

/** A store in memory that behaves as an etcd does that others write to as well. */
export interface SharedKv {
  readonly kv: Kv;
  /** Somebody else writes a key that is none of ours: a revision that no watch of ours has an event for. */
  writeElsewhere(): Promise<void>;
}

/** With "progress" watches say how far they are when they are asked; with "quorum" they never do. */
export function openSharedKv(freshness: Exclude<Freshness, "every-revision">, options: MemoryKvOptions = {}): SharedKv {
  const memory = openMemoryKv(options);
  const watches = new Set<(batch: WatchBatch | undefined) => void>();
  const elsewhere = "/elsewhere/key";
  const ours = (prefix: string): string => (prefix === "" ? "/registry/" : prefix);

  async function* watch(prefix: string, from: number, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
    const told: (WatchBatch | undefined)[] = [];
    let wake = deferred<void>();
    const tell = (batch: WatchBatch | undefined): void => {
      told.push(batch);
      wake.resolve();
    };
    let failure: unknown;
    const pump = async (): Promise<void> => {
      for await (const batch of memory.watch(ours(prefix), from, { signal })) tell(batch);
    };
    watches.add(tell);
    pump()
      .catch((error: unknown) => (failure = error))
      .finally(() => tell(undefined));
    try {
      for (;;) {
        for (const batch of told.splice(0)) {
          if (batch !== undefined) yield batch;
          else if (failure === undefined) return;
          else throw failure;
        }
        await wake.promise;
        wake = deferred<void>();
      }
    } finally {
      watches.delete(tell);
    }
  }

  const kv: Kv = {
    freshness,
    create: (key, value, ttl) => memory.create(key, value, ttl),
    get: (key) => memory.get(key),
    list: (prefix, list) => memory.list(ours(prefix), list),
    update: (key, value, revision, ttl) => memory.update(key, value, revision, ttl),
    delete: (key, revision) => memory.delete(key, revision),
    watch,
    compact: (revision) => memory.compact(revision),
    count: (prefix) => memory.count(ours(prefix)),
    currentRevision: () => memory.currentRevision(),
    check: () => memory.check(),
    close: () => memory.close(),
    ...(freshness === "progress" && {
      async requestProgress() {
        const revision = await memory.currentRevision();
        // What was written up to then is told first.
        await new Promise((resolve) => setImmediate(resolve));
        for (const tell of watches) tell({ events: [], revision });
      },
    }),
  };
  return {
    kv,
    async writeElsewhere() {
      const { kv: there } = await memory.get(elsewhere);
      const value = new Uint8Array();
      if (there === undefined) await memory.create(elsewhere, value);
      else await memory.update(elsewhere, value, there.revision);
    },
  };
}
