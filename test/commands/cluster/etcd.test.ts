import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programIsBuilt, programUnderTest } from "../../helpers/program-under-test.js";
import { etcdMissing, type EtcdServer, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";

const [program = "", ...programWords] = programUnderTest;

tellEtcdMissing("kubets cluster --storage=etcd");

describe.skipIf(!programIsBuilt || etcdMissing !== undefined)("kubets cluster --storage=etcd", () => {
  let home: string;
  let etcd: EtcdServer;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "kubets-cluster-etcd-"));
    etcd = await startEtcd();
  });
  afterAll(async () => {
    for (const name of ["one", "two", "three"]) await kubets("cluster", "delete", name);
    await etcd.dispose();
    rmSync(home, { recursive: true, force: true });
  });

  function kubets(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: home };
    return new Promise((done) => {
      execFile(program, [...programWords, ...args], { env, cwd: home }, (error, stdout, stderr) => {
        done({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, stdout, stderr });
      });
    });
  }
  const start = (name: string) =>
    kubets(
      "cluster",
      "start",
      name,
      "--detach",
      "--storage=etcd",
      `--etcd-servers=${etcd.endpoint}`,
      "--data-dir=certificates",
    );

  test("serves one API from two clusters on one etcd and one folder", async () => {
    const one = await start("one");
    expect(one).toMatchObject({ code: 0, stderr: "" });
    expect(one.stdout).not.toContain("Lease");
    const two = await start("two");
    expect(two).toMatchObject({ code: 0, stderr: "" });
    const until = String.raw`[^ ]+_[0-9a-f-]{36} holds until \d{4}-\d\d-\d\dT[\d:]{8}Z unless it renews it`;
    expect(two.stdout).toMatch(
      new RegExp(`^controllers: waiting for Lease kube-system/kube-controller-manager, which ${until}$`, "m"),
    );
    expect(two.stdout).toMatch(
      new RegExp(`^scheduler: waiting for Lease kube-system/kube-scheduler, which ${until}$`, "m"),
    );
    writeFileSync(join(home, "shared.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n");
    expect(await kubets("create", "-f", "shared.yaml", "--context=kubets-one")).toMatchObject({ code: 0 });
    expect(await kubets("get", "configmap", "shared", "-o", "name", "--context=kubets-two")).toMatchObject({
      code: 0,
      stdout: "configmap/shared\n",
    });
    // Either believes the other's certificate and token.
    const server = /https:\S+/.exec((await kubets("cluster", "status", "two")).stdout)?.[0] ?? "";
    const crossed = await kubets(
      "get",
      "configmap",
      "shared",
      "-o",
      "name",
      "--context=kubets-one",
      `--server=${server}`,
    );
    expect(crossed).toMatchObject({ code: 0, stdout: "configmap/shared\n" });
  });

  test("needs no flags at a restart, and deleting one cluster leaves the objects and the other cluster", async () => {
    expect(await kubets("cluster", "stop", "two")).toMatchObject({ code: 0 });
    expect(await kubets("cluster", "start", "two", "--detach")).toMatchObject({ code: 0, stderr: "" });
    expect(await kubets("cluster", "delete", "one")).toMatchObject({ code: 0, stdout: 'cluster "one" deleted\n' });
    expect(existsSync(join(home, "certificates", "pki.json"))).toBe(true);
    expect(await kubets("get", "configmap", "shared", "-o", "name", "--context=kubets-two")).toMatchObject({ code: 0 });
    expect(await kubets("cluster", "start", "two", "--storage=disk")).toMatchObject({ code: 1 });
  });

  test("names nodes after their server, and warns a server with another folder that it cannot reach the others' pods", async () => {
    const etcdFlags = ["--storage=etcd", `--etcd-servers=${etcd.endpoint}`];
    const started = await kubets("cluster", "start", "three", "--detach", ...etcdFlags, "--server-name=own");
    expect(started).toMatchObject({ code: 0 });
    expect(started.stderr).toMatch(
      /^(Warning: server "\S+" on this storage has another certificate authority than this server, "own": .*\n){2}$/,
    );
    const { stdout } = await kubets("get", "nodes", "-o", "name", "--context=kubets-three");
    const own = stdout.split("\n").filter((line) => /^node\/\S+-\d+-node-1$/.test(line));
    expect([own.length, stdout.split("\n").filter((line) => !own.includes(line))]).toEqual([
      2,
      ["node/own-node-1", ""],
    ]);
    await kubets("cluster", "stop", "three");
    const other = await kubets("cluster", "start", "three", "--detach", "--server-name=Own");
    expect(other).toMatchObject({ code: 1, stdout: "" });
    expect(other.stderr).toMatch(/^error: invalid server name "Own": use lower-case/);
  });

  test("names an etcd that it cannot reach", async () => {
    const outcome = await kubets("cluster", "start", "four", "--storage=etcd", "--etcd-servers=http://127.0.0.1:1");
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(outcome.stderr).toMatch(/^error: .*127\.0\.0\.1:1/);
    expect(existsSync(join(home, ".kubets/clusters/four"))).toBe(false);
  });
});
