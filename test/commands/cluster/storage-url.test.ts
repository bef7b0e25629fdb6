import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresMissing, type PostgresServer, startPostgres, tellPostgresMissing } from "../../helpers/postgres.js";
import { programIsBuilt, programUnderTest, testsExecutable } from "../../helpers/program-under-test.js";

const [program = "", ...programWords] = programUnderTest;
let home = "";

tellPostgresMissing("kubets cluster with PostgreSQL");

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function kubets(...args: string[]): Promise<Outcome> {
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
  return new Promise((done) => {
    execFile(program, [...programWords, ...args], { env, cwd: home }, (error, stdout, stderr) => {
      done({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, stdout, stderr });
    });
  });
}

describe.skipIf(!programIsBuilt)("kubets cluster --storage=URL", () => {
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "kubets-storage-url-"));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test("refuses an unknown scheme, and leaves nothing behind", async () => {
    const { code, stderr } = await kubets("cluster", "start", "attic", "--detach", "--storage=attic:one");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: unknown storage type: attic; use one of memory, disk, etcd, /);
    expect((await kubets("cluster", "list")).stdout).not.toContain("attic");
  });

  // The executable does not have the package pg.
  describe.skipIf(postgresMissing !== undefined || testsExecutable)("in PostgreSQL", () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres(["fsync=off"]);
    });
    afterAll(() => server.dispose());

    test("keeps a cluster's objects in the database, and never shows the password of its URL", async () => {
      const url = (await server.database("named")).replace("postgres@", "postgres:secret@");
      const started = await kubets("cluster", "start", "db", "--detach", "--nodes=0", `--storage=${url}`);
      expect(started).toMatchObject({ code: 0, stderr: "" });
      const status = await kubets("cluster", "status", "db");
      expect(status.stdout).toContain("postgres:xxxxx@127.0.0.1");
      const [pid = ""] = /(?<=Process: +)\d+/.exec(status.stdout) ?? [];
      const words = `/proc/${pid}/cmdline`;
      if (existsSync(words)) expect(readFileSync(words, "utf8")).toContain("cluster\0start\0db");
      const list = await kubets("cluster", "list");
      const log = readFileSync(join(home, ".kubets", "clusters", "db", "server.log"), "utf8");
      for (const text of [status.stdout, list.stdout, log, existsSync(words) ? readFileSync(words, "utf8") : ""]) {
        expect(text).not.toContain("secret");
      }
      expect((await kubets("create", "configmap", "kept")).code).toBe(0);
      expect((await kubets("cluster", "stop", "db")).code).toBe(0);
      expect((await kubets("cluster", "start", "db", "--detach", "--nodes=0")).code).toBe(0);
      expect((await kubets("get", "configmap", "kept", "-o", "name")).stdout).toBe("configmap/kept\n");
      expect((await kubets("cluster", "delete", "db")).code).toBe(0);
      const rows = await server.query<{ count: string }>("postgres", "SELECT count(*) FROM named.kubets_revisions");
      expect(Number(rows[0]?.count)).toBeGreaterThan(0);
    });
  });
});
