import { expect, test } from "vitest";
import { createStorage } from "../../../../src/server/storage/create-storage.js";
import { openSharedKv } from "../../../helpers/shared-kv.js";
import { collect, names, plainCodec, pod, PODS, show } from "../../../suites/store-harness.js";
import { storeSuite } from "../../../suites/store.js";

const modes = ["progress", "quorum"] as const;

for (const freshness of modes) {
  storeSuite(`a store with freshness "${freshness}"`, () => ({
    open: async (time) => openSharedKv(freshness, time).kv,
  }));
}

test.each(modes)("with freshness %s, revisions that others made hold nobody up", async (freshness) => {
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
