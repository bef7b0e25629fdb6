import { expect, test } from "vitest";
import type { Clock } from "../../../src/base/time/clock.js";
import type { Timers } from "../../../src/base/time/timers.js";
import type { KvEvent } from "../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { prefixedKv } from "../../../src/server/storage/prefixed-kv.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { lend } from "../../model/lent-kv.js";
import { kvSuite } from "../../suites/kv.js";
import { storeSuite } from "../../suites/store.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const onMemory = { open: async (time: { clock: Clock; timers: Timers }) => prefixedKv(openMemoryKv(time), "/part") };

kvSuite("a part of memory", () => onMemory);
storeSuite("a part of memory", () => onMemory);

test("two servers with different prefixes in one storage see nothing of each other (A-STO-01, A-STO-02, A-STO-03, T22)", async () => {
  const time = new ManualTime();
  const whole = openMemoryKv({ clock: time, timers: time });
  const [one, other] = [prefixedKv(lend(whole), "/one"), prefixedKv(lend(whole), "/other")];
  const { revision: first } = await one.create("/a", bytes("of one"));
  const { revision: second } = await other.create("/a", bytes("of the other"));
  await other.create("/b", bytes("of the other"));
  expect((await one.list("")).items.map(({ key }) => key)).toEqual(["/a"]);
  expect(await one.count("")).toBe(1);
  await expect(one.update("/b", bytes("x"), second)).rejects.toMatchObject({ key: "/b", current: undefined });
  await expect(one.create("/a", bytes("again"))).rejects.toMatchObject({ key: "/a" });

  // A compaction of one part leaves the other's past.
  await one.compact(await one.currentRevision());
  await expect(one.list("", { revision: first })).rejects.toMatchObject({ requested: first });
  expect((await other.list("", { revision: second })).items.map(({ key }) => key)).toEqual(["/a"]);

  // The watch of a part tells how far the store is, and of its own keys alone.
  const stop = new AbortController();
  const events: KvEvent[] = [];
  let reached = 0;
  const last = await whole.currentRevision();
  for await (const batch of other.watch("", first - 1, { signal: stop.signal })) {
    events.push(...batch.events);
    reached = batch.revision;
    if (reached >= last) break;
  }
  expect(events.map(({ type, key }) => `${type} ${key}`)).toEqual(["create /a", "create /b"]);
  expect(reached).toBe(last);
  await Promise.all([one.close(), other.close(), whole.close()]);
});
