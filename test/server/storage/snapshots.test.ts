import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { plainCodec, pod, PODS } from "../../suites/store-harness.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
// The flag is the process's: compiled code of other tests would be refused by it.
setFlagsFromString("--no-expose-gc");

/** Whether nobody holds it any more. */
async function isFree(value: WeakRef<object>): Promise<boolean> {
  await setImmediate();
  collectGarbage();
  return value.deref() === undefined;
}

test("the storage releases the snapshot of a paged list once no page token can refer to it", async () => {
  const kv = openMemoryKv({ historyEvents: 5 });
  const { revision } = await kv.create("/a", new Uint8Array(100));
  await kv.create("/b", new Uint8Array(100));
  const read = async (): Promise<WeakRef<object>> => {
    const { items, remaining } = await kv.list("/", { limit: 1 });
    expect(remaining).toBe(1);
    return new WeakRef(items[0] ?? {});
  };
  const first = await read();
  await kv.delete("/a", revision);
  expect(await isFree(first)).toBe(false);
  for (let n = 0; n < 10; n++) await kv.create(`/c/${n}`, new Uint8Array(100));
  expect(await isFree(first)).toBe(true);
  await kv.close();
});

test("the watch cache releases the snapshot of a paged list once no page token can refer to it", async () => {
  const storage = createStorage({ kv: openMemoryKv({ historyEvents: 5 }), historyBytes: 2000, cacheBytes: 0 });
  const pods = storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec });
  await pods.create("default/a", pod("default", "a"));
  await pods.create("default/b", pod("default", "b"));
  const read = async (): Promise<WeakRef<object>> => {
    const { items, continue: token } = await pods.list("", { limit: 1 });
    expect(token).toBeDefined();
    return new WeakRef(items[0] ?? {});
  };
  const first = await read();
  await pods.delete("default/a");
  expect(await isFree(first)).toBe(false);
  for (let n = 0; n < 20; n++) await pods.create(`default/c-${n}`, pod("default", `c-${n}`));
  expect(await isFree(first)).toBe(true);
  await storage.close();
});
