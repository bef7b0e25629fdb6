import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/base/time/clock.js";
import { systemTimers } from "../../../../src/base/time/timers.js";
import type { StorageUrl } from "../../../../src/component/storage-url.js";
import { CompactedError, FutureRevisionError, type Kv, type KvEvent } from "../../../../src/server/storage/kv.js";
import { openPostgresKv } from "../../../../src/server/storage/postgres/postgres-kv.js";
import { freePorts } from "../../../helpers/free-ports.js";
import {
  openTestKv,
  postgresMissing,
  type PostgresServer,
  startPostgres,
  tellPostgresMissing,
} from "../../../helpers/postgres.js";

tellPostgresMissing("the faults of PostgreSQL storage");

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const surroundings = { clock: systemClock, timers: systemTimers, warn: () => {} };
const open = (url: StorageUrl): Promise<Kv> => openPostgresKv(url, surroundings);

/** Collects the events of a store until the signal aborts. */
async function follow(kv: Kv, signal: AbortSignal): Promise<KvEvent[]> {
  const events: KvEvent[] = [];
  for await (const batch of kv.watch("", 1, { signal })) events.push(...batch.events);
  return events;
}

/** Creates keys one after the other; returns the revisions of those that were acknowledged. */
async function writeKeys(kv: Kv, writer: number, count: number): Promise<Map<string, number>> {
  const acknowledged = new Map<string, number>();
  for (let step = 0; step < count; step++) {
    const key = `/${writer}/${step}`;
    try {
      acknowledged.set(key, (await kv.create(key, bytes(key))).revision);
    } catch (error) {
      expect(error, key).toMatchObject({ name: "StatusError", outcome: "unknown" });
    }
  }
  return acknowledged;
}

describe.skipIf(postgresMissing !== undefined)("our storage on PostgreSQL, with faults of the database", () => {
  let server: PostgresServer;
  let stores = 0;
  const name = (): string => `faults_${++stores}`;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.dispose());

  test.each([
    ["the processes of its connections are ended, again and again", 20],
    ["it is killed and starts again", 3],
  ] as const)("loses no write and does none twice while %s", async (_, kills) => {
    const schema = name();
    const kv = await openTestKv(server, surroundings, schema);
    const beside = await openTestKv(server, surroundings, schema);
    const stop = new AbortController();
    const watched = [follow(kv, stop.signal), follow(beside, stop.signal)];
    const writing = Promise.all(
      [0, 1, 2, 3, 4, 5].map((writer) => writeKeys(writer % 2 === 0 ? kv : beside, writer, 60)),
    );
    for (let round = 0; round < kills; round++) {
      // The next one comes when something was written after the last one.
      const before = await kv.currentRevision();
      if (kills === 3) {
        await server.kill();
        await server.restart();
      } else {
        await server.query(
          "postgres",
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kubets'",
        );
      }
      await kv.create(`/kill/${round}`, bytes("x")).catch(() => {});
      expect(await kv.currentRevision()).toBeGreaterThanOrEqual(before);
    }
    const acknowledged = new Map((await writing).flatMap((keys) => [...keys]));
    const { items, revision } = await kv.list("");
    const found = new Map(items.map((item) => [item.key, item.revision]));
    for (const [key, written] of acknowledged) expect(found.get(key), key).toBe(written);
    await kv.create("/end", bytes("end"));
    for (const one of [kv, beside]) {
      for await (const batch of one.watch("", revision, { signal: new AbortController().signal })) {
        if (batch.events.length > 0) break;
      }
    }
    stop.abort();
    const [mine = [], theirs = []] = await Promise.all(watched);
    // Each revision came once, in order, to both.
    const revisions = Array.from({ length: revision - 1 }, (__, index) => index + 2);
    for (const events of [mine, theirs]) {
      expect(events.map((event) => event.revision).filter((one) => one <= revision)).toEqual(revisions);
    }
    await Promise.all([kv.close(), beside.close()]);
  });

  test("lets watches list again after a failover that lost commits, and never reuses a revision", async () => {
    const schema = name();
    const kv = await openTestKv(server, surroundings, schema);
    for (const key of ["/a", "/b", "/c"]) await kv.create(key, bytes(key));
    const last = await kv.currentRevision();
    const signal = new AbortController().signal;
    // It may end while the queries below still run: what it ends with is asked for from the start.
    const ended = expect(follow(kv, signal)).rejects.toBeInstanceOf(CompactedError);
    // What a standby has that the last two writes had not reached.
    await server.query(
      "postgres",
      `BEGIN; DELETE FROM ${schema}.kubets_revisions WHERE revision > ${last - 2}; UPDATE ${schema}.kubets_state SET revision = ${last - 2}; COMMIT`,
    );
    await server.query(
      "postgres",
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kubets'",
    );
    await ended;
    await expect(kv.list("", { revision: last })).rejects.toBeInstanceOf(CompactedError);
    const { items, revision } = await kv.list("");
    expect(items.map(({ key }) => key)).toEqual(["/a"]);
    expect(revision).toBeGreaterThan(last);
    expect((await kv.create("/b", bytes("again"))).revision).toBe(revision + 1);
    await kv.close();
  });

  test("leaves a database with another version of the tables unchanged", async () => {
    const schema = name();
    const url = await server.database(schema);
    await (await open(url)).close();
    await server.query("postgres", `UPDATE ${schema}.kubets_state SET version = 2`);
    await expect(open(url)).rejects.toThrow(
      "the database has tables of version 2, and this kubets knows version 1; use the kubets that made them, or another database",
    );
  });

  test("refuses writes to a read-only database, and serves reads", async () => {
    const schema = name();
    const kv = await openTestKv(server, surroundings, schema);
    await kv.create("/a", bytes("a"));
    await kv.close();
    const url =
      `${await server.database(schema)}&options=-csearch_path%3D${schema}%20-cdefault_transaction_read_only%3Don` as const;
    const reading = await open(url);
    expect((await reading.list("")).items).toHaveLength(1);
    await expect(reading.create("/b", bytes("b"))).rejects.toMatchObject({
      outcome: "not-done",
      message: expect.stringContaining("use the address of the primary") as string,
    });
    await reading.close();
  });

  test("gives the reason when it cannot open the database, without the password", async () => {
    const [port = 0] = await freePorts(1);
    await server.query("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    await server.query("postgres", "CREATE ROLE reader LOGIN");
    await server.query("postgres", "CREATE SCHEMA closed");
    const at = `127.0.0.1:${server.port}`;
    const rows: [StorageUrl, string][] = [
      [`postgres://me:secret@127.0.0.1:${port}/db`, "ECONNREFUSED"],
      [`postgres://postgres:secret@${at}/nowhere`, 'database "nowhere" does not exist: make it with: createdb'],
      [`postgres://nobody:secret@${at}/postgres`, 'role "nobody" does not exist'],
      [`postgres://postgres:secret@${at}/latin`, "the database has the encoding LATIN1; make one with UTF8"],
      [
        `postgres://reader:secret@${at}/postgres?options=-csearch_path%3Dclosed`,
        "make it with CREATE SCHEMA, or grant the user USAGE on it",
      ],
    ];
    for (const [url, reason] of rows) {
      const refused: unknown = await open(url).catch((error: unknown) => error);
      expect(refused, url).toMatchObject({ name: "StorageError" });
      expect((refused as Error).message).toContain(reason);
      expect((refused as Error).message).not.toContain("secret");
    }
  });

  test("removes only compacted history from the tables", async () => {
    const schema = name();
    const kv = await openTestKv(server, surroundings, schema);
    const { revision: first } = await kv.create("/a", bytes("1"));
    const { revision: second } = await kv.update("/a", bytes("2"), first);
    const { revision: made } = await kv.create("/b", bytes("1"));
    const { revision: removed } = await kv.delete("/b", made);
    await kv.update("/a", bytes("3"), second);
    await kv.compact(removed);
    const rows = await server.query<{ revision: string }>(
      "postgres",
      `SELECT revision FROM ${schema}.kubets_revisions ORDER BY revision`,
    );
    // The second value of /a is what the compacted revision shows.
    expect(rows.map(({ revision }) => Number(revision))).toEqual([second, removed + 1]);
    await expect(kv.list("", { revision: made })).rejects.toBeInstanceOf(CompactedError);
    await expect(kv.list("", { revision: removed + 9 })).rejects.toBeInstanceOf(FutureRevisionError);
    expect((await kv.list("", { revision: removed })).items.map(({ key }) => key)).toEqual(["/a"]);
    await kv.close();
  });
});
