import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/base/time/clock.js";
import { systemTimers } from "../../../../src/base/time/timers.js";
import { Compactor } from "../../../../src/server/storage/etcd/compactor.js";
import { openEtcdKv } from "../../../../src/server/storage/etcd/etcd-kv.js";
import { CompactedError, type Kv } from "../../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { etcdMissing, startEtcd, tellEtcdMissing } from "../../../helpers/etcd.js";
import { eventually } from "../../../helpers/eventually.js";

tellEtcdMissing("the compaction of etcd");

const bytes = Buffer.from("{}");

/** Writes until the history that the first write is in has gone. */
async function expectCompaction(kv: Kv): Promise<void> {
  const first = await kv.create("/registry/a", bytes);
  let { revision } = await kv.update("/registry/a", bytes, first.revision);
  await eventually(async () => {
    ({ revision } = await kv.update("/registry/a", bytes, revision));
    await expect(kv.list("/registry/", { revision: first.revision })).rejects.toBeInstanceOf(CompactedError);
  });
  expect((await kv.get("/registry/a")).kv?.revision).toBe(revision);
}

describe("history that is older than the interval is removed", () => {
  test("of a store", async () => {
    const kv = openMemoryKv({ clock: systemClock, timers: systemTimers });
    const compactor = new Compactor(kv, systemTimers, 2);
    await expectCompaction(kv);
    compactor.stop();
    await kv.close();
  });

  test.skipIf(etcdMissing !== undefined)("of etcd, by the store that is opened with an interval", async () => {
    const server = await startEtcd();
    const kv = await openEtcdKv({ endpoints: [server.endpoint], compactionInterval: 10 });
    await expectCompaction(kv);
    await kv.close();
    await server.dispose();
  });
});

test("a store that does not answer is asked again", async () => {
  let asked = 0;
  const kv = {
    currentRevision: () => (++asked === 1 ? Promise.reject(new Error("down")) : Promise.resolve(asked)),
    compact: (revision: number) => Promise.resolve(void compacted.push(revision)),
  };
  const compacted: number[] = [];
  const compactor = new Compactor(kv, systemTimers, 1);
  await eventually(() => expect(compacted.slice(0, 2)).toEqual([2, 3]));
  compactor.stop();
});
