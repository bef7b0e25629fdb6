import { expect, test } from "vitest";
import { CompactedError } from "../../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { kvSuite } from "../../../suites/kv.js";

kvSuite("memory", () => ({ open: async (time) => openMemoryKv(time) }));

test("memory storage drops history beyond its limit, and tells a watch that is behind", async () => {
  const kv = openMemoryKv({ historyEvents: 10 });
  const watch = kv.watch("", 1, { signal: new AbortController().signal })[Symbol.asyncIterator]();
  await kv.create("/first", new Uint8Array());
  expect((await watch.next()).value).toMatchObject({ events: [{ key: "/first" }], revision: 2 });
  for (let n = 0; n < 20; n++) await kv.create(`/${n}`, new Uint8Array());
  await expect(watch.next()).rejects.toBeInstanceOf(CompactedError);
  await kv.close();
});
