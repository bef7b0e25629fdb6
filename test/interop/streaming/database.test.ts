import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localPort } from "../../../src/node/scripted/ports.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { pod, type StreamingCluster, streamingCluster } from "../../helpers/streaming-cluster.js";

const run = promisify(execFile);

/** PostgreSQL refuses to run as root: then Debian's user of that name runs it. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { stdio: "pipe" }).toString());
  return { uid: id("-u"), gid: id("-g") };
}

function whyMissing(): string | undefined {
  try {
    for (const program of ["postgres", "initdb", "psql"]) execFileSync(program, ["--version"], { stdio: "pipe" });
    serverUser();
    return realTool("kubectl").missing;
  } catch {
    return "PostgreSQL's programs and a user to run them are not here (Debian: postgresql)";
  }
}

const missing = whyMissing();
if (missing !== undefined) process.stdout.write(`a database behind port-forward is skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("PostgreSQL in a pod, through kubectl port-forward", () => {
  let folder: string;
  let database: ChildProcess;
  let shared: StreamingCluster;
  let kubectl: RealKubectl;
  let forward: ChildProcess;
  let port: string;

  beforeAll(async () => {
    const user = serverUser();
    folder = await mkdtemp(join(tmpdir(), "kubets-postgres-"));
    if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
    const data = join(folder, "data");
    const options = { ...user, cwd: folder, env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" } };
    await run("initdb", ["-D", data, "-U", "kubets", "-A", "trust", "--no-sync"], options);
    const [databasePort = 0] = await freePorts(1);
    const settings = ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`, "-c", "fsync=off"];
    database = spawn("postgres", ["-D", data, "-p", String(databasePort), ...settings], {
      ...options,
      stdio: "ignore",
    });
    shared = await streamingCluster(
      [pod("db", [{ name: "main", image: "database", ports: [{ name: "sql", containerPort: 5432 }] }])],
      { database: { ports: { 5432: localPort(databasePort) } } },
    );
    kubectl = await realKubectl(shared.cluster);
    forward = kubectl.start("port-forward pod/db :sql");
    const line = await new Promise<string>((resolve) =>
      forward.stdout?.once("data", (chunk) => resolve(String(chunk))),
    );
    port = /^Forwarding from 127\.0\.0\.1:(\d+) -> 5432$/m.exec(line)?.[1] ?? "";
    await eventually(async () => expect(await sql("select 1").catch(String)).toBe("1"));
  });
  afterAll(async () => {
    forward?.kill();
    database?.kill("SIGQUIT");
    await kubectl?.[Symbol.asyncDispose]();
    await shared?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function sql(statement: string): Promise<string> {
    const where = ["-h", "127.0.0.1", "-p", port, "-U", "kubets", "-d", "postgres"];
    const env = { PATH: process.env["PATH"] ?? "", PGCONNECT_TIMEOUT: "10" };
    const { stdout } = await run("psql", [...where, "-At", "-c", statement], { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trimEnd();
  }

  test("answers SQL statements", async () => {
    await sql("create table books (id serial, title text)");
    await sql("insert into books (title) select 'book ' || n from generate_series(1, 1000) n");
    expect(await sql("select count(*), max(title) from books")).toBe("1000|book 999");
  });

  test("sends a result of several megabytes completely", async () => {
    const [text, sum] = [await sql("select repeat('0123456789', 500000)"), "0123456789".repeat(500_000)];
    expect(text === sum).toBe(true);
  });

  test("serves several connections at once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => sql(`select pg_sleep(0.2), ${n}`)));
    expect(answers).toEqual(Array.from({ length: 10 }, (_, n) => `|${n}`));
  });
});
