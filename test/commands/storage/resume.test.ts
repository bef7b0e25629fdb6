import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCluster } from "../../../src/cluster/index.js";
import { openSqliteKv } from "../../../src/server/storage/sqlite/sqlite-kv.js";
import { eventually } from "../../helpers/eventually.js";
import { programIsBuilt, programUnderTest } from "../../helpers/program-under-test.js";
import { startCli, runCli } from "../../helpers/run-cli.js";

const KEYS = 2500;
const ENV = { HOME: "/nonexistent", PATH: process.env["PATH"] ?? "" };

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "resume-"));
  const kv = await openSqliteKv({ directory: join(folder, "source") });
  await Promise.all(Array.from({ length: KEYS }, (_, n) => kv.create(keyOf(n), valueOf(n, "a"))));
  await kv.close();
}, 30_000);
afterAll(() => rmSync(folder, { recursive: true }));

const keyOf = (n: number): string => `/registry/configmaps/default/c${String(n).padStart(5, "0")}`;
const valueOf = (n: number, text: string): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: `c${String(n).padStart(5, "0")}`, namespace: "default" },
      data: { text: text.repeat(1000) },
    }),
  );

const argsTo = (target: string) => ["storage", "migrate", "--from=disk:source", `--to=${target}`];
const run = (target: string) => runCli(argsTo(target), { program: "kubets", cwd: folder, env: ENV });

const keysOf = async (directory: string) => {
  const kv = await openSqliteKv({ directory: join(folder, directory) });
  const { items } = await kv.list("/registry/");
  await kv.close();
  return items.map(({ key, revision, value }) => `${key} ${revision} ${Buffer.from(value).toString("base64")}`);
};

/** Kills the process when a file of the target has grown so far. */
async function killWhenGrown(child: ChildProcess, file: string, bytes: number): Promise<void> {
  const ended = once(child, "exit");
  await eventually(() => {
    if (child.exitCode === null && statSync(join(folder, file)).size <= bytes) throw new Error("it has not grown yet");
  });
  expect(child.exitCode).toBe(null);
  child.kill("SIGKILL");
  await ended;
}

test.skipIf(!programIsBuilt)(
  "storage migrate, killed by kill -9, can be continued, and no server starts on the partial copy",
  async () => {
    const [file = "", ...words] = programUnderTest;
    const child = spawn(file, [...words, ...argsTo("disk:killed")], { cwd: folder, env: ENV, stdio: "ignore" });
    await killWhenGrown(child, "killed/data.db-wal", 1_000_000);
    const part = (await keysOf("killed")).length;
    expect(part).toBeGreaterThan(0);
    expect(part).toBeLessThan(KEYS);
    await expect(startCluster({ port: false, storage: "disk", dataDir: join(folder, "killed") })).rejects.toThrow(
      /^the storage holds a part of disk:\S+, whose migration did not end; run kubets storage migrate again/,
    );
    const other = await runCli(["storage", "migrate", "--from=disk:killed", "--to=disk:none"], {
      program: "kubets",
      cwd: folder,
      env: ENV,
    });
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("holds only a part of another storage") });
    const { code, stdout, stderr } = await run("disk:killed");
    expect(stderr).toBe("");
    expect(stdout).toContain(
      `the rest of its copy is there now: disk:${join(folder, "killed")} holds the same ${KEYS} keys`,
    );
    expect(code).toBe(0);
    expect(await keysOf("killed")).toEqual(await keysOf("source"));
  },
);

test("storage migrate, ended by Ctrl-C, can be continued, and includes what has changed in the source since", async () => {
  const running = startCli(argsTo("files:interrupted"), { program: "kubets", cwd: folder, env: ENV });
  await eventually(() => statSync(join(folder, "interrupted/core/configmaps/default/c00010.yaml")));
  const { stdout, stderr } = await running.interrupt();
  expect(stdout).toBe("");
  expect(stderr).toMatch(
    /^interrupted: (?:nothing is copied yet|\d+ of 2500 keys are copied); the same command goes on/,
  );
  const kv = await openSqliteKv({ directory: join(folder, "source") });
  const { items } = await kv.list(keyOf(3), { limit: 1 });
  await kv.update(keyOf(3), valueOf(3, "b"), items[0]?.revision ?? 0);
  const second = await kv.get(keyOf(2));
  await kv.delete(keyOf(2), second.kv?.revision ?? 0);
  await kv.close();
  const { code, stdout: after } = await run("files:interrupted");
  expect(after).toContain(`the rest of its copy is there now: files:${join(folder, "interrupted")}`);
  expect(code).toBe(0);
  const changed = await runCli(["storage", "get", keyOf(3), "--from=files:interrupted", "-ojson"], {
    program: "kubets",
    cwd: folder,
    env: ENV,
  });
  expect(JSON.parse(changed.stdout)).toMatchObject({ data: { text: "b".repeat(1000) } });
  const removed = await runCli(["storage", "get", keyOf(2), "--from=files:interrupted"], {
    program: "kubets",
    cwd: folder,
    env: ENV,
  });
  expect(removed.stderr).toContain("there is no key");
});
