import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programIsBuilt, programUnderTest } from "../../helpers/program-under-test.js";

const [program = "", ...programWords] = programUnderTest;

describe.skipIf(!programIsBuilt)("kubets cluster check", () => {
  let home = "";
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "kubets-check-test-"));
    await kubets("cluster", "start", "dev", "--detach");
  });
  afterAll(async () => {
    await kubets("cluster", "delete", "dev");
    rmSync(home, { recursive: true, force: true });
  });

  function kubets(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
    return new Promise((done) => {
      execFile(program, [...programWords, ...args], { env, cwd: home }, (error, stdout, stderr) => {
        done({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, stdout, stderr });
      });
    });
  }

  test("refuses a cluster that runs", async () => {
    const { code, stdout, stderr } = await kubets("cluster", "check", "dev");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^error: cluster "dev" is running \(process \d+\); stop it first with: kubets cluster stop dev\n$/,
    );
  });

  test("counts and compacts the objects of a stopped cluster, which serves the same objects afterwards", async () => {
    await kubets("create", "configmap", "mine");
    writeFileSync(join(home, "cm.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\ndata: {a: b}\n");
    await kubets("apply", "-f", "cm.yaml");
    await kubets("cluster", "stop", "dev");
    const first = await kubets("cluster", "check", "dev");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(
      /^cluster "dev" has no damage: \d+ objects at revision \d+\nit takes \d+ KiB on disk; with its history, which is removed now, it took \d+ KiB\n$/,
    );
    const line = /^.*\n/.exec(first.stdout)?.[0];
    expect((await kubets("cluster", "check", "dev")).stdout).toContain(line);
    await kubets("cluster", "start", "dev", "--detach");
    expect((await kubets("get", "cm", "mine", "-o", "jsonpath={.data.a}")).stdout).toBe("b");
    await kubets("cluster", "stop", "dev");
  });

  test("reports a damaged cluster in one line, and does not change it", async () => {
    const database = join(home, ".kubets/clusters/dev/data/data.db");
    const whole = readFileSync(database);
    const damaged = Buffer.from(whole).fill(0xa5, 5000, 9000);
    writeFileSync(database, damaged);
    const { code, stdout, stderr } = await kubets("cluster", "check", "dev");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^error: data directory \S+ is damaged \(.+\) and was left as it is: restore it from a copy or remove it\n$/,
    );
    expect(readFileSync(database).equals(damaged)).toBe(true);
    writeFileSync(database, whole);
    expect((await kubets("cluster", "check", "dev")).code).toBe(0);
  });

  test.each([
    [
      "a cluster that is not there",
      ["ghost"],
      /^error: there is no cluster named "ghost"; list the clusters with: kubets cluster list/,
    ],
    ["two names", ["a", "b"], /^error: give at most one cluster name/],
  ])("refuses %s", async (_title, args, message) => {
    const { code, stdout, stderr } = await kubets("cluster", "check", ...args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(message);
  });

  test("has nothing to check for a cluster in memory", async () => {
    await kubets("cluster", "start", "light", "--storage=memory", "--detach");
    const { code, stderr } = await kubets("cluster", "check", "light");
    await kubets("cluster", "delete", "light");
    expect([code, stderr]).toEqual([
      1,
      'error: cluster "light" keeps its objects in memory; there is nothing to check\n',
    ]);
  });
});
