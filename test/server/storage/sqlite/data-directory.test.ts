import { readdirSync, statSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStorage } from "../../../../src/server/storage/create-storage.js";
import { CompactedError } from "../../../../src/server/storage/kv.js";
import { markClosed } from "../../../../src/server/storage/sqlite/directory.js";
import { loadDriver } from "../../../../src/server/storage/sqlite/driver.js";
import { openSqliteKv } from "../../../../src/server/storage/sqlite/sqlite-kv.js";
import type { StoredEvent } from "../../../../src/server/storage/store.js";
import { ManualTime } from "../../../helpers/manual-time.js";
import { plainCodec, pod } from "../../../suites/store-harness.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const libsql = pathToFileURL(createRequire(import.meta.url).resolve("libsql")).href;

describe("the data folder of storage on disk", () => {
  let folder = "";
  let next = 0;
  const fresh = (): string => join(folder, String(next++), "data");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-data-"));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("is created when missing and keeps what was written", async () => {
    const directory = fresh();
    const kv = await openSqliteKv({ directory });
    await kv.create("/a", bytes("1"));
    await kv.update("/a", bytes("2"), 2);
    await kv.close();
    expect((await readdir(directory)).sort()).toEqual(["closed", "data.db", "lock"]);
    const again = await openSqliteKv({ directory });
    expect(await again.currentRevision()).toBe(3);
    expect((await again.get("/a")).kv).toMatchObject({ createRevision: 2, revision: 3 });
    expect((await again.list("", { revision: 2 })).items).toMatchObject([{ key: "/a", revision: 2 }]);
    await again.close();
  });

  const modesIn = (directory: string): Record<string, string> =>
    Object.fromEntries(
      [".", ...readdirSync(directory)].map((name) => [
        name,
        (statSync(join(directory, name)).mode & 0o777).toString(8),
      ]),
    );

  test("and its files are closed to other users, while a server runs and afterwards", async () => {
    const directory = fresh();
    const kv = await openSqliteKv({ directory });
    await kv.create("/a", bytes("1"));
    const serving = { acknowledged: "600", "data.db": "600", "data.db-wal": "600", lock: "600", owner: "600" };
    expect(modesIn(directory)).toEqual({ ".": "700", ...serving });
    await kv.close();
    expect(modesIn(directory)).toEqual({ ".": "700", "data.db": "600", lock: "600", closed: "600" });
    for (const file of await readdir(directory)) await chmod(join(directory, file), 0o666);
    const again = await openSqliteKv({ directory });
    await again.create("/b", bytes("1"));
    expect(modesIn(directory)).toEqual({ ".": "700", ...serving });
    await again.close();
    expect(Object.values(modesIn(directory)).every((mode) => mode.endsWith("00"))).toBe(true);
  });

  test("that existed keeps its mode", async () => {
    const directory = fresh();
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o755);
    const kv = await openSqliteKv({ directory });
    expect(modesIn(directory)).toMatchObject({ ".": "755", "data.db": "600" });
    await kv.close();
  });

  test.skipIf(process.getuid?.() !== 0)("with another user's file is used as it is", async () => {
    const directory = fresh();
    await (await openSqliteKv({ directory })).close();
    await chown(join(directory, "data.db"), 65534, 65534);
    const kv = await openSqliteKv({ directory });
    await kv.create("/a", bytes("1"));
    await kv.close();
  });

  test("serves one storage at a time, also within one process", async () => {
    const directory = fresh();
    const kv = await openSqliteKv({ directory });
    await expect(openSqliteKv({ directory })).rejects.toMatchObject({
      problem: "in-use",
      message: `data directory ${directory} is in use by process ${process.pid}; stop that, or use another folder`,
    });
    expect(await kv.create("/a", bytes("1"))).toEqual({ revision: 2 });
    await kv.close();
    await (await openSqliteKv({ directory })).close();
  });

  test.each([
    [
      "of another program is refused",
      "CREATE TABLE t (x)",
      "damaged",
      /is damaged \(not a database of kubets\) and was left/,
    ],
    [
      "of a newer version is refused",
      "PRAGMA application_id = 0x6b627473; PRAGMA user_version = 2; CREATE TABLE t (x)",
      "newer",
      /was written by a newer version of kubets \(its format is 2\); use that version, or another folder$/,
    ],
  ])("%s", async (_, sql, problem, message) => {
    const directory = await mkdtemp(join(folder, "foreign-"));
    const db = (await loadDriver(libsql))(join(directory, "data.db"));
    db.exec(sql);
    db.close();
    await expect(openSqliteKv({ directory })).rejects.toMatchObject({
      problem,
      message: expect.stringMatching(message) as string,
    });
    expect((await readdir(directory)).sort()).toEqual(["data.db", "lock"]);
  });

  test("is refused when it is a file", async () => {
    const directory = join(folder, "file");
    await writeFile(directory, "");
    await expect(openSqliteKv({ directory })).rejects.toMatchObject({ problem: "unusable" });
  });

  test("without an SQLite driver names what to install", async () => {
    if (process.versions.node.startsWith("20.")) {
      await expect(loadDriver(undefined)).rejects.toThrow("run `npm install libsql`");
      await expect(loadDriver(undefined)).rejects.toThrow("or keep objects in memory (--storage=memory)");
      await expect(loadDriver("file:///nowhere/libsql.js")).rejects.toThrow(
        /the package libsql cannot be loaded \(.*nowhere.*\); install it anew/,
      );
    }
  });

  test("is not inspected again after an orderly close, but no damaged value is served from it", async () => {
    const directory = fresh();
    const kv = await openSqliteKv({ directory });
    await kv.create("/a", bytes("something that is there"));
    await kv.create("/b", bytes("whole"));
    await kv.close();
    const database = join(directory, "data.db");
    const content = await readFile(database);
    content.write("SOMETHING", content.indexOf("something"));
    await writeFile(database, content);
    // As after a fault of the disk, which leaves no trace in the file's times.
    markClosed(directory, "data.db");
    const rotted = expect.stringContaining("damaged (the value of revision 2 is not what was written)") as string;
    const again = await openSqliteKv({ directory });
    expect((await again.get("/b")).kv).toMatchObject({ revision: 3 });
    for (const read of [again.get("/a"), again.list(""), again.update("/a", bytes("2"), 2)]) {
      await expect(read).rejects.toMatchObject({ message: rotted });
    }
    await again.close();
    await expect(openSqliteKv({ directory })).rejects.toMatchObject({ problem: "damaged", message: rotted });
  });

  test("is listed in pages of one revision when a list would take long", async () => {
    const kv = await openSqliteKv({ directory: fresh() });
    const name = (at: number): string => `/many/${String(at).padStart(5, "0")}`;
    const creates = Array.from({ length: 3000 }, (_, at) =>
      kv.create(name(at), new Uint8Array(at === 7 ? 2 ** 21 : 99)),
    );
    await Promise.all(creates);
    const whole = kv.list("/many/");
    const overtaking = kv.create("/many/99999", bytes("x"));
    const { items, revision, remaining } = await whole;
    expect([items.length, revision, remaining]).toEqual([3000, 3001, 0]);
    expect(items.map(({ key, value }) => [key, value.byteLength])).toEqual(
      items.map((_, at) => [name(at), at === 7 ? 2 ** 21 : 99]),
    );
    await overtaking;
    const page = await kv.list("/many/", { limit: 700, revision: 3001, startAfter: name(99) });
    expect([page.items.length, page.items[0]?.key, page.remaining]).toEqual([700, name(100), 2200]);
    const following = await kv.list("/many/", { limit: 700, revision: 3001, startAfter: name(799) });
    expect([following.items.length, following.remaining]).toEqual([700, 1500]);
    expect(await kv.count("/many/")).toBe(3001);
    await kv.close();
  });

  test("loses with a failed commit all writes in it and those built on them", async () => {
    const kv = await openSqliteKv({ directory: fresh(), maxBytes: 200_000 });
    await kv.create("/a", bytes("1"));
    const outcomes = await Promise.allSettled([
      kv.update("/a", bytes("2"), 2),
      kv.create("/big", new Uint8Array(300_000)),
      kv.update("/a", bytes("3"), 3),
      kv.create("/a", bytes("4")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "rejected"]);
    for (const outcome of outcomes) expect(String(outcome.status === "rejected" && outcome.reason)).toContain("full");
    expect(await kv.currentRevision()).toBe(2);
    expect((await kv.get("/a")).kv).toMatchObject({ revision: 2 });
    expect(await kv.update("/a", bytes("5"), 2)).toEqual({ revision: 3 });
    await kv.close();
  });

  test("keeps current objects and later revisions at a compaction, across a restart", async () => {
    const directory = fresh();
    const kv = await openSqliteKv({ directory });
    await kv.create("/a", bytes("1"));
    await kv.create("/b", bytes("1"));
    await kv.update("/a", bytes("2"), 2);
    await kv.delete("/b", 3);
    await kv.update("/a", bytes("3"), 4);
    await kv.compact(5);
    await kv.close();
    const again = await openSqliteKv({ directory });
    expect((await again.list("", { revision: 5 })).items).toMatchObject([{ key: "/a", revision: 4 }]);
    expect((await again.list("")).items).toMatchObject([{ key: "/a", revision: 6, createRevision: 2 }]);
    await expect(again.list("", { revision: 4 })).rejects.toBeInstanceOf(CompactedError);
    await again.close();
  });

  test("removes keys at the start whose time to live ended meanwhile", async () => {
    const directory = fresh();
    const time = new ManualTime();
    const kv = await openSqliteKv({ directory, clock: time, timers: time });
    await kv.create("/short", bytes("1"), { ttlSeconds: 10 });
    await kv.close();
    time.pass(20_000);
    const again = await openSqliteKv({ directory, clock: time, timers: time });
    time.pass(1);
    for await (const { events } of again.watch("", 2, { signal: new AbortController().signal })) {
      expect(events).toMatchObject([{ type: "delete", key: "/short", revision: 3 }]);
      break;
    }
    await again.close();
  });

  test("lets a watch of objects continue after a restart", async () => {
    const directory = fresh();
    const open = async () => {
      const storage = createStorage({ kv: await openSqliteKv({ directory }) });
      const resource = { group: "", resource: "pods" };
      return { storage, pods: storage.storeFor({ prefix: "/registry/pods/", resource, codec: plainCodec }) };
    };
    const before = await open();
    for (const name of ["a", "b", "c"]) await before.pods.create(`default/${name}`, pod("default", name));
    await before.pods.delete("default/b");
    await before.storage.close();
    const after = await open();
    const watch = await after.pods.watch("", { resourceVersion: "3", signal: new AbortController().signal });
    const seen: StoredEvent[] = [];
    for await (const events of watch) {
      seen.push(...events);
      if (seen.length === 2) await after.pods.create("default/d", pod("default", "d"));
      if (seen.length === 3) break;
    }
    expect(seen.map(({ type, revision }) => `${type}@${revision}`)).toEqual(["ADDED@4", "DELETED@5", "ADDED@6"]);
    const page = await after.pods.list("", { resourceVersion: "4", resourceVersionMatch: "Exact" });
    expect(page.items).toHaveLength(3);
    await after.storage.close();
  });
});
