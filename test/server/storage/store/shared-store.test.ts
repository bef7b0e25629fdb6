import { expect, test } from "vitest";
import { createStorage } from "../../../../src/server/storage/create-storage.js";
import type { Kv } from "../../../../src/server/storage/kv.js";
import { openSharedKv } from "../../../helpers/shared-kv.js";
import { collect, names, plainCodec, pod, PODS, show } from "../../../suites/store-harness.js";
import { storeSuite } from "../../../suites/store.js";

const modes = ["progress", "quorum"] as const;

for (const freshness of modes) {
  storeSuite(`a store with freshness "${freshness}"`, () => ({
    open: async (time) => openSharedKv(freshness, time).kv,
  }));
}

test.each(modes)("with freshness %s, a write of another server delays no read for long", async (freshness) => {
  const { kv, writeElsewhere } = openSharedKv(freshness);
  const storage = createStorage({ kv });
  const pods = storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec });
  await writeElsewhere();
  await pods.create("default/a", pod("default", "a"));
  for (let n = 0; n < 3; n++) await writeElsewhere();
  const list = await pods.list("", {});
  expect(names(list.items)).toEqual(["a"]);
  expect(list.resourceVersion).toBe("6");
  // Whoever goes on from that version is told what comes after it, and may read there.
  const watch = await collect(pods, "", 1, { resourceVersion: list.resourceVersion });
  const state = await collect(pods, "", 2, { sendInitialEvents: true, allowWatchBookmarks: true });
  const { resourceVersion } = list;
  expect(names((await pods.list("", { resourceVersion })).items)).toEqual(["a"]);
  expect(names((await pods.list("", { resourceVersion, resourceVersionMatch: "Exact" })).items)).toEqual(["a"]);
  expect((await pods.get("default/a", { resourceVersion })).revision).toBe(3);
  await writeElsewhere();
  const updated = await pods.guaranteedUpdate("default/a", async () => pod("default", "a", { n: 1 }));
  expect(updated.object.revision).toBe(8);
  expect((await pods.get("default/a")).revision).toBe(8);
  expect((await watch.done).map(show)).toEqual(["MODIFIED a@8"]);
  expect((await state.done).map(show)).toEqual(["ADDED a@3", "BOOKMARK@6 end"]);
  await storage.close();
});

test.each(modes)("with freshness %s, a read after a restart is never older than the restart", async (freshness) => {
  const { kv, writeElsewhere } = openSharedKv(freshness);
  const key = "/registry/pods/default/a";
  let { revision } = await kv.create(key, plainCodec.encode(pod("default", "a", { n: 0 })));
  for (let n = 1; n <= 20; n++) {
    ({ revision } = await kv.update(key, plainCodec.encode(pod("default", "a", { n })), revision));
  }
  await writeElsewhere();
  const storage = createStorage({ kv });
  const pods = storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec });
  await storage.ready();
  const [got, list, watch] = await Promise.all([
    pods.get("default/a", { resourceVersion: "0" }),
    pods.list("", { resourceVersion: "0" }),
    collect(pods, "", 1, { resourceVersion: "0" }),
  ]);
  expect(got.revision).toBe(revision);
  expect(Number(list.resourceVersion)).toBeGreaterThanOrEqual(revision);
  expect(list.items.map((item) => item.revision)).toEqual([revision]);
  expect((await watch.done).map(show)).toEqual([`ADDED a@${revision}`]);
  await storage.close();
});

test("closing a storage that fails to close still ends its watches", async () => {
  const { kv } = openSharedKv("quorum");
  const broken: Kv = {
    ...kv,
    async close() {
      await kv.close();
      throw new Error("the disk is gone");
    },
  };
  const storage = createStorage({ kv: broken });
  const pods = storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec });
  const watch = await collect(pods, "", 1, {});
  await expect(storage.close()).rejects.toThrow("the disk is gone");
  expect(await watch.done).toEqual([]);
});
