import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { eventually } from "../../helpers/eventually.js";
import { FixedClock } from "../../helpers/fixed-clock.js";
import { type CliResult, runCli, startCli } from "../../helpers/run-cli.js";

const clock = new FixedClock(Date.UTC(2026, 0, 1));
const paths: string[] = [];
let cluster: Cluster;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-get-"));
  cluster = await startCluster({ clock, onRequest: ({ path }) => paths.push(path) });
  await writeFile(join(folder, "config"), cluster.kubeconfig());
  const create = async (path: string, object: object): Promise<void> => {
    const send = cluster.transport();
    const body = new TextEncoder().encode(JSON.stringify(object));
    const { status } = await send.send({ method: "POST", path, headers: { "content-type": "application/json" }, body });
    if (status !== 201) throw new Error(`POST ${path}: ${status}`);
    await send.close();
  };
  for (const [name, size] of [
    ["b", "1Gi"],
    ["a", "500Mi"],
    ["c", "2k"],
  ] as const) {
    const metadata = { name, labels: { app: name === "b" ? "web" : "db" } };
    await create("/api/v1/namespaces/default/configmaps", { metadata, data: { size } });
  }
  await create("/api/v1/namespaces", { metadata: { name: "empty" } });
});

afterAll(async () => {
  await cluster.close();
  await rm(folder, { recursive: true });
});

async function get(line: string): Promise<CliResult> {
  clock.advance(0);
  const env = { HOME: folder, KUBECONFIG: join(folder, "config") };
  return runCli(["get", ...line.split(" ")], { env, cwd: folder, clock });
}

describe("kubectl get", () => {
  it("prints the server's table", async () => {
    const { stdout, code } = await get("cm a b -L app");
    expect({ stdout, code }).toEqual({
      stdout: "NAME   DATA   AGE   APP\na      1      0s    db\nb      1      0s    web\n",
      code: 0,
    });
  });

  it.each([
    { line: "cm -l app=db -o name", stdout: "configmap/a\nconfigmap/c\n" },
    { line: "cm --sort-by=.data.size -l app -o name", stdout: "configmap/c\nconfigmap/a\nconfigmap/b\n" },
    { line: "cm -l app=db --sort-by=.data.size --no-headers", stdout: "c     1     0s\na     1     0s\n" },
    { line: "cm,ns -l app=db -o jsonpath={.items[*].metadata.name}", stdout: "a c" },
    { line: "cm a -o jsonpath={.data}", stdout: '{"size":"500Mi"}' },
    { line: "cm a -o custom-columns=N:.metadata.name,S:.data.size", stdout: "N     S\na     500Mi\n" },
    {
      line: "cm -n empty -o yaml -l app",
      stdout: 'apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: ""\n',
    },
    {
      line: "cm/a ns/empty",
      stdout:
        "NAME          DATA   AGE\nconfigmap/a   1      0s\n\nNAME              STATUS   AGE\nnamespace/empty   Active   0s\n",
    },
    {
      line: "cm -A -l app=web --show-labels",
      stdout: "NAMESPACE   NAME   DATA   AGE   LABELS\ndefault     b      1      0s    app=web\n",
    },
    { line: "--raw /healthz", stdout: "ok" },
  ])("prints for `$line` what kubectl prints", async ({ line, stdout }) => {
    expect(await get(line)).toEqual({ stdout, stderr: "", code: 0 });
  });

  it.each([
    { line: "cm -n empty -l app", stderr: "No resources found in empty namespace.\n", code: 0 },
    { line: "cm -A -l app=no", stderr: "No resources found\n", code: 0 },
    { line: "cm no --ignore-not-found", stderr: "", code: 0 },
    { line: "cm no", stderr: 'Error from server (NotFound): configmaps "no" not found\n', code: 1 },
    { line: "nosuch", stderr: `error: the server doesn't have a resource type "nosuch"\n`, code: 1 },
    { line: "cm --raw /x", stderr: "error: arguments may not be passed when --raw is specified\n", code: 1 },
    { line: "--raw x", stderr: 'error: --raw must be a valid URL path: parse "x": invalid URI for request\n', code: 1 },
    {
      line: "cm --show-labels -o json",
      stderr: "error: --show-labels option cannot be used with json printer\n",
      code: 1,
    },
    {
      line: "cm --output-watch-events",
      stderr: "error: --output-watch-events option can only be used with --watch or --watch-only\n",
      code: 1,
    },
    { line: "cm -o jsonpath={.x[}", stderr: "error: error parsing jsonpath {.x[}, unterminated array\n", code: 1 },
  ])("$line prints an error or notice", async ({ line, stderr, code }) => {
    expect(await get(line)).toEqual({ stdout: "", stderr, code });
  });

  it("prints the objects that it found, and errors for the others", async () => {
    expect(await get("cm a no -o name")).toEqual({
      stdout: "configmap/a\n",
      stderr: 'Error from server (NotFound): configmaps "no" not found\n',
      code: 1,
    });
  });

  it("asks for tables, page by page", async () => {
    paths.length = 0;
    await get("cm --chunk-size=3");
    expect(
      paths.filter((path) => path.includes("configmaps")).map((path) => path.replace(/continue=[^&]*/, "continue=X")),
    ).toEqual([
      "/api/v1/namespaces/default/configmaps?limit=3",
      "/api/v1/namespaces/default/configmaps?continue=X&limit=3",
    ]);
  });

  it("prints changes as they come with --watch, and ends without an error at an interrupt", async () => {
    const env = { HOME: folder, KUBECONFIG: join(folder, "config") };
    paths.length = 0;
    const running = startCli(["get", "cm", "-n", "empty", "-l", "w", "-w", "-o", "name"], {
      env,
      cwd: folder,
      clock,
    });
    await eventually(() => expect(paths.filter((path) => path.includes("watch=true"))).toHaveLength(1));
    const send = cluster.transport();
    const body = new TextEncoder().encode(JSON.stringify({ metadata: { name: "late", labels: { w: "1" } } }));
    await send.send({
      method: "POST",
      path: "/api/v1/namespaces/empty/configmaps",
      headers: { "content-type": "application/json" },
      body,
    });
    await eventually(() => expect(running.stdout()).not.toBe(""));
    expect(await running.interrupt()).toEqual({ stdout: "configmap/late\n", stderr: "", code: 1 });
    await send.close();
  });
});
