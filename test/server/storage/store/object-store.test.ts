import { expect, test } from "vitest";
import { createStorage } from "../../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { failure, plainCodec, pod, PODS } from "../../../suites/store-harness.js";
import { storeSuite } from "../../../suites/store.js";

storeSuite("memory", () => ({ open: async (time) => openMemoryKv(time) }));
storeSuite("memory without the cache", () => ({ open: async (time) => openMemoryKv(time) }), { watchCache: false });

test("a cache that the store outran loads again: reads are right, and watchers are told to list", async () => {
  const storage = createStorage({ kv: openMemoryKv({ historyEvents: 5 }) });
  const pods = storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec });
  await pods.create("default/first", pod("default", "first"));
  const watch = await pods.watch("", { resourceVersion: "2", signal: new AbortController().signal });
  const next = failure(watch[Symbol.asyncIterator]().next());
  const burst = Array.from({ length: 50 }, (_, n) => pods.create(`default/${n}`, pod("default", String(n))));
  expect(new Set((await Promise.all(burst)).map(({ revision }) => revision)).size).toBe(50);
  expect((await pods.list("")).items).toHaveLength(51);
  expect(await next).toMatchObject({ code: 410, reason: "Expired" });
  await storage.close();
});
