import { expect, test } from "vitest";
import { newestRelease } from "../../../src/api/facts/index.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import { openKv, openStorage, type StorageOptions } from "../../../src/cluster/open-storage.js";
import { CompactedError } from "../../../src/server/storage/kv.js";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { etcdMissing, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";

tellEtcdMissing("the compaction of etcd");

test.skipIf(etcdMissing !== undefined)(
  "the server compacts etcd's history that is older than the interval",
  async () => {
    const server = await startEtcd();
    const options: StorageOptions = { storage: "etcd", etcd: { servers: [server.endpoint], compactionInterval: 10 } };
    const kv = await openKv(options, systemClock, systemTimers);
    const { storage } = await openStorage(kv, options, newestRelease, systemClock, systemTimers);
    const first = await kv.create("/registry/a", Buffer.from("{}"));
    let { revision } = await kv.update("/registry/a", Buffer.from("{}"), first.revision);
    await eventually(async () => {
      ({ revision } = await kv.update("/registry/a", Buffer.from("{}"), revision));
      await expect(kv.list("/registry/", { revision: first.revision })).rejects.toBeInstanceOf(CompactedError);
    });
    expect((await kv.get("/registry/a")).kv?.revision).toBe(revision);
    await storage.close();
    await server.dispose();
  },
);

test("a compaction interval of 0 starts no compaction", async () => {
  const started: number[] = [];
  const timers = { start: (milliseconds: number) => (started.push(milliseconds), () => {}) };
  const kv = openMemoryKv({ clock: systemClock, timers: systemTimers });
  const storage = createStorage({ kv, timers, watchCache: false, compactionSeconds: 0 });
  await kv.currentRevision();
  expect(started).toEqual([]);
  await storage.close();
});

test("a storage that does not answer is compacted at the next interval", async () => {
  const memory = openMemoryKv({ clock: systemClock, timers: systemTimers });
  let asked = 0;
  const compacted: number[] = [];
  const kv = new Proxy(memory, {
    get(target, name) {
      if (name === "currentRevision")
        return () => (++asked === 1 ? Promise.reject(new Error("down")) : Promise.resolve(asked));
      if (name === "compact") return (revision: number) => Promise.resolve(void compacted.push(revision));
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const storage = createStorage({ kv, watchCache: false, compactionSeconds: 0.001 });
  await eventually(() => expect(compacted.slice(0, 2)).toEqual([2, 3]));
  await storage.close();
});
