import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/base/time/clock.js";
import { systemTimers } from "../../../../src/base/time/timers.js";
import { openSqliteKv } from "../../../../src/server/storage/sqlite/sqlite-kv.js";
import { type KvUnderTest, kvSuite } from "../../../suites/kv.js";
import { storeSuite } from "../../../suites/store.js";

function onDisk(): KvUnderTest {
  let directory = "";
  return {
    async open(time) {
      directory = await mkdtemp(join(tmpdir(), "kubets-kv-"));
      return openSqliteKv({ directory, ...time });
    },
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}

kvSuite("sqlite", onDisk);
storeSuite("sqlite", onDisk);

test("storage on disk limits recent history by writes, by bytes and by compaction", async () => {
  const subject = onDisk();
  const kv = await subject.open({ clock: systemClock, timers: systemTimers });
  try {
    const write = async (bytes: number) => (await kv.create(`/k${bytes}`, new Uint8Array(bytes))).revision;
    const [, , , last] = [await write(1000), await write(2000), await write(3000), await write(4000)];
    const recent = (limits: { revisions?: number; bytes?: number }) =>
      kv.recent?.({ revisions: 100, bytes: 1e6, ...limits });
    expect(await recent({})).toBe(last - 4);
    expect(await recent({ revisions: 2 })).toBe(last - 2);
    expect(await recent({ bytes: 9500 })).toBe(last - 3);
    expect(await recent({ bytes: 7000 })).toBe(last - 2);
    expect(await recent({ bytes: 3999 })).toBe(last);
    await kv.delete("/k4000", last);
    expect(await recent({ bytes: 4000 })).toBe(last - 1);
    await kv.compact(last - 1);
    expect(await recent({})).toBe(last - 1);
  } finally {
    await kv.close();
    await subject.dispose?.();
  }
});
