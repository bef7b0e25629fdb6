import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFolder } from "./disk-folder.js";
import { openSqliteKv } from "../../src/server/storage/sqlite/sqlite-kv.js";
import { expectCutPrefix, expectPrefix } from "./expect-prefix.js";
import { buildWriter, startWriter } from "./writer-process.js";

/** Stores that are recovered side by side. */
const AT_ONCE = 10;

describe("disk storage after a crash", () => {
  let writer: Awaited<ReturnType<typeof buildWriter>>;
  let folder = "";

  beforeAll(async () => {
    writer = await buildWriter();
    folder = await mkdtemp(join(diskFolder(), "kubets-durability-"));
  });

  afterAll(async () => {
    await writer.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("holds every acknowledged write in order, when the process was killed at twenty random moments", async () => {
    let lost = 0;
    for (let round = 0; round < 20; round++) {
      const directory = join(folder, `kill-${round}`);
      const window = [1, 40, 400][round % 3] ?? 1;
      const child = startWriter(writer.script, { directory, seed: round, count: 100_000, window });
      await child.until("ready");
      await sleep(Math.random() * 150);
      await child.kill();
      const acknowledged = child.acknowledged();
      const kv = await openSqliteKv({ directory });
      const revision = await expectPrefix(kv, round, Math.max(1, acknowledged - 10));
      expect(revision).toBeGreaterThanOrEqual(acknowledged);
      lost += revision - acknowledged;
      await kv.close();
    }
    // Writes that were committed but not yet acknowledged may be there too: at most those in flight, and a batch behind.
    expect(lost).toBeLessThan(20 * 400 * 3);
  });

  test.each([
    { what: "that was never folded into the database", count: 120, window: 1, cuts: 150 },
    { what: "after the log was folded at least once", count: 900, window: 1, cuts: 50 },
  ])(
    "holds a prefix of its log without repeated revisions, when the log was cut at random places, $what",
    async ({ count, window, cuts }) => {
      const seed = 1000 + count;
      const source = join(folder, `cut-${count}`);
      const child = startWriter(writer.script, { directory: source, seed, count, window });
      await child.until("done");
      await child.kill();
      const log = await readFile(join(source, "data.db-wal"));
      expect(log.byteLength).toBeGreaterThan(0);
      const reached = new Set<number>();
      const recover = async (cut: number): Promise<void> => {
        const directory = join(folder, `cut-${count}-${cut}`);
        await cp(source, directory, { recursive: true });
        await damage(join(directory, "data.db-wal"), log, cut);
        const kv = await openSqliteKv({ directory });
        const whole = (await kv.currentRevision()) === count + 1;
        if (whole) await expectPrefix(kv, seed, 1 + Math.floor(Math.random() * count));
        else reached.add(await expectCutPrefix(kv, seed, count));
        await kv.close();
        await rm(directory, { recursive: true });
      };
      for (let cut = 0; cut < cuts; cut += AT_ONCE) {
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, cuts - cut) }, (_, more) => recover(cut + more)));
      }
      expect(reached.size).toBeGreaterThan(10);
    },
    300_000,
  );

  test("is refused to a second process by the name of its owner, and free once that was killed", async () => {
    const directory = join(folder, "in-use");
    const child = startWriter(writer.script, { directory, seed: 5, count: 20, window: 1 });
    await child.until("done");
    await expect(openSqliteKv({ directory })).rejects.toMatchObject({
      problem: "in-use",
      message: `data directory ${directory} is in use by process ${child.process.pid}; stop that, or use another folder`,
    });
    await child.kill();
    const kv = await openSqliteKv({ directory });
    expect(await expectPrefix(kv, 5, 1)).toBe(21);
    await kv.close();
  });

  test("can be written to after its recovery, and recovered again", async () => {
    const directory = join(folder, "again");
    for (const count of [50, 100, 150]) {
      const child = startWriter(writer.script, { directory: `${directory}-${count}`, seed: 7, count, window: 5 });
      await child.until("done");
      await child.kill();
      const kv = await openSqliteKv({ directory: `${directory}-${count}` });
      expect(await expectPrefix(kv, 7, 1)).toBe(count + 1);
      expect(await kv.create("/more", new Uint8Array([1]))).toEqual({ revision: count + 2 });
      await kv.close();
      const again = await openSqliteKv({ directory: `${directory}-${count}` });
      expect((await again.get("/more")).kv).toMatchObject({ revision: count + 2 });
      await again.close();
    }
  });

  test("is either whole or refused with one line and left unchanged, when its database is damaged at random places", async () => {
    const source = join(folder, "damaged");
    const child = startWriter(writer.script, { directory: source, seed: 3, count: 900, window: 1 });
    await child.until("done");
    await child.kill();
    const whole = await readFile(join(source, "data.db"));
    const places = [0, 100, 4096, ...Array.from({ length: 20 }, () => Math.floor(Math.random() * whole.byteLength))];
    let refused = 0;
    for (const [round, place] of places.entries()) {
      const directory = join(folder, `damaged-${round}`);
      await cp(source, directory, { recursive: true });
      const bytes = Buffer.from(whole);
      bytes.fill(0xa5, place, place + 64);
      await writeFile(join(directory, "data.db"), bytes);
      const before = await contents(directory);
      const outcome = await openSqliteKv({ directory }).catch((reason: unknown) => reason as Error);
      if (outcome instanceof Error) {
        refused++;
        expect(outcome).toMatchObject({ name: "DataDirectoryError", problem: "damaged" });
        expect(outcome.message).toMatch(/^data directory \S+ is damaged \(.+\) and was left as it is: .+$/);
        expect(await contents(directory)).toEqual(before);
      } else {
        // The page was free, or its newer version lies in the log.
        expect(await expectPrefix(outcome, 3, 1)).toBe(901);
        await outcome.close();
      }
    }
    expect(refused).toBeGreaterThan(5);
  });
});

/** Two of three times the end is missing, else it is overwritten with noise. */
async function damage(file: string, log: Buffer, round: number): Promise<void> {
  const place = Math.floor(Math.random() * log.byteLength);
  if (round % 3 < 2) {
    await truncate(file, place);
    return;
  }
  const noise = Buffer.from(log);
  for (let index = place; index < noise.byteLength; index++) noise[index] = Math.floor(Math.random() * 256);
  await writeFile(file, noise);
}

async function contents(directory: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of await readdir(directory)) files[name] = (await readFile(join(directory, name))).toString("base64");
  return files;
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
