import { cp, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CompactedError } from "../../../../src/server/storage/kv.js";
import { checkDataDirectory } from "../../../../src/server/storage/sqlite/check-data-directory.js";
import { openSqliteKv } from "../../../../src/server/storage/sqlite/sqlite-kv.js";

describe("checking the data folder of a stopped cluster", () => {
  let folder = "";
  let next = 0;
  const fresh = (): string => join(folder, String(next++));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-check-"));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const key = (at: number): string => `/registry/configmaps/default/cm-${at}`;
  const value = (text: string): Uint8Array =>
    new TextEncoder().encode(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", data: { text } }));

  /** 20 objects, 10 of them changed 40 times, 5 deleted; 1 + 20 + 400 + 5 revisions. */
  async function filled(): Promise<string> {
    const directory = fresh();
    const kv = await openSqliteKv({ directory });
    const revisions = await Promise.all(Array.from({ length: 20 }, (_, at) => kv.create(key(at), value("x"))));
    for (let round = 0; round < 40; round++) {
      const updates = Array.from({ length: 10 }, (_, at) =>
        kv.update(key(at), value(`${round}`.repeat(2000)), revisions[at]?.revision ?? 0),
      );
      for (const [at, update] of updates.entries()) revisions[at] = await update;
    }
    for (let at = 15; at < 20; at++) await kv.delete(key(at), revisions[at]?.revision ?? 0);
    await kv.close();
    return directory;
  }

  test("counts the objects, drops the history, and keeps the objects", async () => {
    const directory = await filled();
    const checked = await checkDataDirectory(directory);
    expect(checked).toMatchObject({ objects: 15, revision: 426, lost: undefined });
    expect(checked.bytesAfter).toBeLessThan(checked.bytesBefore / 4);
    expect(checked.bytesAfter).toBe((await stat(join(directory, "data.db"))).size);
    expect(await checkDataDirectory(directory)).toMatchObject({ objects: 15, revision: 426 });
    const kv = await openSqliteKv({ directory });
    const { items, revision } = await kv.list("");
    expect([items.length, revision]).toEqual([15, 426]);
    await expect(kv.list("", { revision: 425 })).rejects.toBeInstanceOf(CompactedError);
    expect(await kv.create(key(99), value("y"))).toEqual({ revision: 427 });
    await kv.close();
  });

  test("names a damaged value and leaves it, although the database file looks intact", async () => {
    const directory = await filled();
    const database = join(directory, "data.db");
    const bytes = await readFile(database);
    const place = bytes.lastIndexOf("3939393939");
    bytes.write("4", place);
    await writeFile(database, bytes);
    await expect(checkDataDirectory(directory)).rejects.toMatchObject({
      problem: "damaged",
      message: expect.stringMatching(
        /^data directory \S+ is damaged \(the value of revision \d+ is not what was written\) and was left as it is: /,
      ) as string,
    });
    expect((await readFile(database)).equals(bytes)).toBe(true);
  });

  test("names the key of a value that no server wrote", async () => {
    for (const [at, bytes, detail] of [
      ["/elsewhere", value("x"), 'it holds the key "/elsewhere", which is not the key of a Kubernetes object'],
      [key(1), new TextEncoder().encode("{"), `the value under ${key(1)} is not a Kubernetes object`],
    ] as const) {
      const directory = fresh();
      const kv = await openSqliteKv({ directory });
      await kv.create(at, bytes);
      await kv.close();
      await expect(checkDataDirectory(directory)).rejects.toMatchObject({
        problem: "damaged",
        message: expect.stringContaining(`(${detail})`) as string,
      });
    }
  });

  test("refuses a folder in use, and one that does not exist", async () => {
    const directory = fresh();
    await expect(checkDataDirectory(directory)).rejects.toMatchObject({ problem: "unusable" });
    const kv = await openSqliteKv({ directory });
    await expect(checkDataDirectory(directory)).rejects.toMatchObject({ problem: "in-use" });
    await kv.close();
  });

  test("reports a log whose end was cut off, with the last lost revision", async () => {
    const directory = fresh();
    const copy = fresh();
    const kv = await openSqliteKv({ directory });
    for (let at = 0; at < 10; at++) await kv.create(key(at), value("x"));
    await cp(directory, copy, { recursive: true });
    await kv.close();
    const log = join(copy, "data.db-wal");
    await truncate(log, (await stat(log)).size - 5000);
    const checked = await checkDataDirectory(copy);
    expect(checked).toMatchObject({ lost: 11, revision: 12 });
    expect(checked.objects).toBeLessThan(10);
    expect(await checkDataDirectory(copy)).toMatchObject({ lost: undefined, revision: 12 });
  });
});
