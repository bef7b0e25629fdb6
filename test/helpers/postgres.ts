import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { StorageUrl } from "../../src/component/storage-url.js";
import type { Kv } from "../../src/server/storage/kv.js";
import { openPostgresKv } from "../../src/server/storage/postgres/postgres-kv.js";
import type { StorageSurroundings } from "../../src/server/storage/storage-schemes.js";
import type { KvUnderTest } from "../suites/kv.js";
import { eventually } from "./eventually.js";
import { freePorts } from "./free-ports.js";
import { ManualTime } from "./manual-time.js";
import { realPostgres } from "./real-tools.js";

const postgres = realPostgres();

/** Why tests with PostgreSQL are skipped; undefined when there is one. */
export const postgresMissing: string | undefined = postgres.missing;

/** Says on stdout that the tests of this file are skipped, and why. */
export function tellPostgresMissing(what: string): void {
  if (postgresMissing !== undefined) process.stdout.write(`${what} is skipped: ${postgresMissing}\n`);
}

export interface PostgresServer {
  readonly port: number;
  /** The URL of a part of it that others do not share: a schema, which is made where it is missing. */
  database(name: string): Promise<StorageUrl>;
  /** Runs statements as the superuser in a database. */
  query<Row extends pg.QueryResultRow>(database: string, text: string): Promise<Row[]>;
  /** SIGQUIT, as a crash, and waits for the end. */
  kill(): Promise<void>;
  /** After {@link kill}: on the same data and port. Resolves when it serves. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  dispose(): Promise<void>;
}

/** PostgreSQL refuses to run as root: then it runs as Debian's user of it, or as nobody. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  const entry = ["postgres", "nobody"].map((name) => lines.find((line) => line.startsWith(`${name}:`))).find(Boolean);
  const [, , uid = "65534", gid = "65534"] = entry?.split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** A server on a free port of the loopback, with its data in a folder of its own. Everybody who connects is the superuser. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const [port = 0] = await freePorts(1);
  const folder = mkdtempSync(join(tmpdir(), "kubets-postgres-"));
  const user = unprivileged();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid);
  const data = join(folder, "data");
  const how = { ...user, cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  const made = spawnSync(
    join(postgres.path, "initdb"),
    ["--pgdata", data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"],
    { ...how, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const args = ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", folder];
  const flags = [...args, ...settings.flatMap((setting) => ["-c", setting])];
  const query = async <Row extends pg.QueryResultRow>(database: string, text: string): Promise<Row[]> => {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const launch = async (): Promise<ChildProcess> => {
    const child = spawn(join(postgres.path, "postgres"), flags, { ...how, stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (log = (log + chunk).slice(-2000)));
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended with code ${child.exitCode}: ${log}`);
      await query("postgres", "SELECT 1");
    });
    return child;
  };
  let child = await launch();
  const killAtExit = (): void => void child.kill("SIGQUIT");
  process.on("exit", killAtExit);
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGQUIT");
    await ended;
  };
  return {
    port,
    query,
    async database(name) {
      await query("postgres", `CREATE SCHEMA IF NOT EXISTS ${name}`);
      return `postgres://postgres@127.0.0.1:${port}/postgres?options=-csearch_path%3D${name}`;
    },
    kill: end,
    async restart() {
      child = await launch();
    },
    async dispose() {
      process.off("exit", killAtExit);
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let databases = 0;

/** A store in a database of its own. */
export async function openTestKv(
  server: PostgresServer,
  surroundings: Partial<StorageSurroundings> = {},
  name = `kv_${++databases}`,
): Promise<Kv> {
  const time = new ManualTime();
  return openPostgresKv(await server.database(name), { clock: time, timers: time, warn: () => {}, ...surroundings });
}

/** A store for the suites. */
export const postgresUnderTest = (server: () => PostgresServer): KvUnderTest => ({
  open: (time) => openTestKv(server(), time),
});
