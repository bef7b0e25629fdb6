import { afterEach, expect, test } from "vitest";
import { InternalObject, internalCodec, type InternalKind } from "../../../src/server/registry/internal-object.js";
import { createStorage, type Storage } from "../../../src/server/storage/create-storage.js";
import type { Kv } from "../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";

const KIND: InternalKind = {
  apiVersion: "v1",
  kind: "Counter",
  resource: { group: "", resource: "counters" },
  prefix: "/registry/counters/",
  key: "one",
};

const storages: Storage[] = [];
afterEach(async () => {
  for (const storage of storages.splice(0)) await storage.close();
});

function open(kv: Kv): InternalObject {
  const storage = createStorage({ kv, compactionSeconds: 0 });
  storages.push(storage);
  const { prefix, resource, key } = KIND;
  return new InternalObject(storage.storeFor({ prefix, resource, codec: internalCodec(KIND) }), key);
}

const next = (counter: InternalObject): Promise<number> =>
  counter.update((current) => {
    const result = Number(current?.["count"] ?? 0) + 1;
    return { object: { ...current, count: result }, result };
  });

test("changes that two servers make to an internal object all count, and concurrent ones share a write", async () => {
  const kv = openMemoryKv();
  const [a, b] = [open(kv), open(kv)];
  const before = await kv.currentRevision();
  const results = await Promise.all(Array.from({ length: 200 }, (_, index) => next(index % 2 === 0 ? a : b)));
  expect(results.sort((x, y) => x - y)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  expect((await kv.currentRevision()) - before).toBeLessThan(20);
  expect(await next(a)).toBe(201);
});

test("a change of an internal object that throws fails its caller only", async () => {
  const counter = open(openMemoryKv());
  const refused = counter.update(() => {
    throw new Error("no");
  });
  const outcome = await Promise.allSettled([next(counter), refused, next(counter)]);
  expect(outcome.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await next(counter)).toBe(3);
});

test("when every change of an internal object throws, nothing is stored", async () => {
  const kv = openMemoryKv();
  const counter = open(kv);
  const before = await kv.currentRevision();
  const refuse = () =>
    counter.update(() => {
      throw new Error("no");
    });
  await expect(Promise.all([refuse(), refuse()])).rejects.toThrow("no");
  expect([await counter.get(), await kv.currentRevision()]).toEqual([undefined, before]);
});

test("a change of an internal object with an expected version applies only when it is the first of its write", async () => {
  const counter = open(openMemoryKv());
  await next(counter);
  const seen: (string | undefined)[] = [];
  const look = () =>
    counter.update((current) => {
      seen.push(current?.metadata?.resourceVersion);
      return { object: { ...current, looks: seen.length }, result: undefined };
    });
  // The first goes alone, the others while it is written.
  await Promise.all([look(), look(), look()]);
  expect(seen.map((version) => version === undefined)).toEqual([false, false, true]);
});
