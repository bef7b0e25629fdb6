import { describe, expect, test } from "vitest";
import { createStorage, type Storage } from "../../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { failure, plainCodec, pod, PODS } from "../../../suites/store-harness.js";
import { storeSuite } from "../../../suites/store.js";

storeSuite("memory", () => ({ open: async (time) => openMemoryKv(time) }));
storeSuite("memory without the cache", () => ({ open: async (time) => openMemoryKv(time) }), { watchCache: false });

describe("the listener for the first object of a resource", () => {
  const told = (storage: Storage, prefix: string) => {
    const calls: string[] = [];
    return { calls, stop: storage.whenOccupied(prefix, () => calls.push(prefix)) };
  };
  const open = () => {
    const kv = openMemoryKv();
    const storage = createStorage({ kv });
    const storeOf = (prefix: string) => storage.storeFor({ prefix, resource: PODS, codec: plainCodec });
    return { kv, storage, pods: storeOf("/registry/pods/"), others: storeOf("/registry/example.com/pods/") };
  };

  test("is called at its creation, or at once when one exists, and not for other resources or later objects", async () => {
    const { storage, pods, others } = open();
    await storage.ready();
    const [first, second, other] = [
      told(storage, "/registry/pods/"),
      told(storage, "/registry/pods/"),
      told(storage, "/registry/example.com/pods/"),
    ];
    expect([first.calls, second.calls, other.calls]).toEqual([[], [], []]);
    for (const name of ["a", "b"]) await pods.create(`default/${name}`, pod("default", name));
    expect([first.calls, second.calls, other.calls]).toEqual([["/registry/pods/"], ["/registry/pods/"], []]);
    expect(told(storage, "/registry/pods/").calls).toHaveLength(1);
    other.stop();
    await others.create("default/a", pod("default", "a"));
    expect(other.calls).toEqual([]);
    await storage.close();
  });

  test("is called at once while the watch cache loads, and without a watch cache", async () => {
    const { storage } = open();
    expect(told(storage, "/registry/pods/").calls).toHaveLength(1);
    const uncached = createStorage({ kv: openMemoryKv(), watchCache: false });
    await uncached.ready();
    expect(told(uncached, "/registry/pods/").calls).toHaveLength(1);
    await storage.close();
    await uncached.close();
  });
});

test("B-STO-05: a watch cache that has missed events loads again: reads are right, and watches list anew", async () => {
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
