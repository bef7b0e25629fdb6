import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/base/time/clock.js";
import { resourcePlaces } from "../../src/cluster/open-storage.js";
import { openFilesKv } from "../../src/server/storage/files/files-kv.js";
import type { Kv } from "../../src/server/storage/kv.js";
import { openMemoryKv } from "../../src/server/storage/memory/memory-kv.js";
import { openSqliteKv } from "../../src/server/storage/sqlite/sqlite-kv.js";
import type { ManualTime } from "../helpers/manual-time.js";
import { lend } from "./lent-kv.js";
import { startKvOwner } from "./owned-kv.js";

/** A store with a life beyond the servers that use it. */
export interface StoreUnderTest {
  /** By which objects expire, where that is not the time of the test: such a store is not waited for. */
  readonly clock?: Clock;
  /** Opens it, again after {@link stop} or {@link kill}. `killable`: the next end will be {@link kill}. */
  start(killable: boolean): Promise<void>;
  /** A handle for one user; closing it leaves the store to the others. With `lag` its watches are slow, if they can be made so. */
  connect(lag?: number): Promise<Kv>;
  /** An orderly end, with what is under way finished. Servers are closed after it. */
  stop(): Promise<void>;
  /** SIGKILL to the process that owns the store; absent where the store lives with this one. */
  kill?(): Promise<void>;
  /** Frees everything, whatever state it is in. */
  dispose(): Promise<void>;
}

export interface StoreSettings {
  readonly time: ManualTime;
  /** Events or revisions to keep. */
  readonly history: number;
}

/** Lives as long as the test; only servers come and go. */
export function memoryStore({ time, history }: StoreSettings): StoreUnderTest {
  const kv = openMemoryKv({ clock: time, timers: time, historyEvents: history });
  return {
    async start() {},
    connect: async (lag) => lend(kv, lag),
    async stop() {},
    dispose: () => kv.close(),
  };
}

/** Files live as long as the test too: what a client knows of revisions ends with the store that gave them. */
export async function filesStore({ time, history }: StoreSettings): Promise<StoreUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), "kubets-model-"));
  const kv = await openFilesKv({
    directory,
    places: resourcePlaces(),
    clock: time,
    timers: time,
    historyEvents: history,
  });
  return {
    async start() {},
    connect: async (lag) => lend(kv, lag),
    async stop() {},
    async dispose() {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** In this process, or in a child that can be killed. */
export async function sqliteStore({ time, history }: StoreSettings): Promise<StoreUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), "kubets-model-"));
  let open: { kv: Kv; kill(): Promise<void> } | undefined;
  const settings = { directory, historyRevisions: history };
  return {
    async start(killable) {
      if (killable) open = await startKvOwner(settings, time);
      else open = { kv: await openSqliteKv({ ...settings, clock: time, timers: time }), kill: async () => {} };
    },
    async connect(lag) {
      if (open === undefined) throw new Error("the store is not open");
      return lend(open.kv, lag);
    },
    async stop() {
      await open?.kv.close();
    },
    async kill() {
      await open?.kill();
    },
    async dispose() {
      await open?.kill();
      await open?.kv.close().catch(() => {});
      await rm(directory, { recursive: true, force: true });
    },
  };
}
