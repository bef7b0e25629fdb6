import { spawn } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesClient } from "../../src/client/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { packageMissing, type PackedProject, packedProject } from "../helpers/packed-project.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

// Every program of docs/library.md, docs/first-hour.md and docs/from-client-node.md, as a user of the packed package compiles and
// runs it.

if (packageMissing !== undefined) process.stdout.write(`the programs of the docs are skipped: ${packageMissing}\n`);

/** By file name: blocks of TypeScript whose first line names the file. */
const programs = new Map(
  ["library", "first-hour", "from-client-node"].flatMap((page) =>
    [
      ...readFileSync(resolve(import.meta.dirname, `../../docs/${page}.md`), "utf8").matchAll(
        /^```ts\n\/\/ (\S+\.ts)\n(.*?)^```$/gms,
      ),
    ].map(([, name = "", text = ""]) => [name, text] as const),
  ),
);

describe.skipIf(packageMissing !== undefined)("the programs of the docs", () => {
  let project: PackedProject;
  let cluster: Cluster;

  beforeAll(async () => {
    project = packedProject();
    for (const [name, text] of programs) writeFileSync(join(project.folder, name), text);
    // What the project's own author has installed.
    const installed = resolve(import.meta.dirname, "../../node_modules");
    symlinkSync(join(installed, "vitest"), join(project.folder, "node_modules/vitest"));
    symlinkSync(join(installed, "@kubernetes"), join(project.folder, "node_modules/@kubernetes"));
    project.compile([...programs.keys()], { module: "nodenext", target: "es2022", outDir: "out" });
    cluster = await startCluster(quietCluster);
    writeFileSync(join(project.folder, "kubeconfig"), cluster.kubeconfig());
  });
  afterAll(async () => {
    await cluster.close();
    project.remove();
  });

  /** Starts a compiled program, which ends by itself. */
  const start = (name: string, ...flags: string[]) => run([...flags, join("out", name)]);
  const run = (words: readonly string[], kubeconfig = "kubeconfig") => {
    const child = spawn(process.execPath, words, {
      cwd: project.folder,
      env: { ...process.env, KUBECONFIG: join(project.folder, kubeconfig) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    const ended = new Promise<{ code: number | null; output: string }>((resolve_) =>
      child.once("close", (code) => resolve_({ code, output })),
    );
    return { child, ended };
  };

  test("are all of its TypeScript", () => {
    expect([...programs.keys()]).toEqual([
      "list-and-patch.ts",
      "scale.ts",
      "count.ts",
      "watch.ts",
      "in-pods.ts",
      "operator.ts",
      "operator.test.ts",
      "web.test.ts",
      "driven-time.test.ts",
      "pods.ts",
      "maintenance.ts",
      "pages.ts",
      "pages.test.ts",
      "main.ts",
      "with-client-node.ts",
      "with-kubets.ts",
    ]);
  });

  test("list and change objects", async () => {
    const { ended } = start("list-and-patch.js");
    expect(await ended).toEqual({
      code: 0,
      output: ["greeting hello", "{ seen: 'yes', text: 'hello' }", 'gone: configmaps "greeting" not found', ""].join(
        "\n",
      ),
    });
  });

  test("types of patches, subresources and quantities", async () => {
    expect(await start("scale.js").ended).toEqual({ code: 0, output: "web 36 0.5\n3\n" });
  });

  test("logs, exec, cp, port-forward and files", async () => {
    expect(await start("in-pods.js").ended).toEqual({
      code: 0,
      output: "log: begun\n{ code: 3, stdout: '5\\n', stderr: '' }\nopen\n",
    });
  });

  test("the first hour's operator is tested", async () => {
    const { ended } = run(["node_modules/vitest/vitest.mjs", "run", "out/pages.test.js"]);
    expect(await ended).toMatchObject({ code: 0, output: expect.stringContaining("1 passed") });
  });

  test.each(["with-client-node.js", "with-kubets.js"])(
    "a program with client-node and the same with kubets: %s",
    async (name) => {
      await using nodes = await startCluster({ nodes: 1 });
      writeFileSync(join(project.folder, "kubeconfig-nodes"), nodes.kubeconfig());
      const { ended } = run(["--", join("out", name)], "kubeconfig-nodes");
      expect(await ended).toEqual({ code: 0, output: "hello\n3 1\n2\ngone\n" });
    },
  );

  test("a test of Vitest has a cluster", async () => {
    writeFileSync(
      join(project.folder, "crds.yaml"),
      readFileSync(resolve(import.meta.dirname, "../testing/suites/menu.yaml")),
    );
    const { ended } = run(["node_modules/vitest/vitest.mjs", "run", "out/web.test.js"]);
    expect(await ended).toMatchObject({ code: 0, output: expect.stringContaining("1 passed") });
  });

  test("count up without losing a change", async () => {
    expect(await start("count.js").ended).toEqual({ code: 0, output: "count: 3\n" });
  });

  test("follow objects", async () => {
    expect(await start("watch.js").ended).toEqual({
      code: 0,
      output: "added web\nupdated web { replicas: '1' } { replicas: '2' }\ndeleted web\nfront: 0\n",
    });
  });

  test("the operator makes a Secret for a ConfigMap, and ends by itself at SIGTERM", async () => {
    const { child, ended } = start("operator.js");
    const client = kubernetesClient(cluster);
    const metadata = { namespace: "default", name: "site", labels: { "example.com/secret": "wanted" } };
    await client.of("v1", "ConfigMap").create({ apiVersion: "v1", kind: "ConfigMap", metadata });
    const secret = await eventually(() => client.of("v1", "Secret").namespace("default").get("site"));
    expect(Buffer.from(secret.data?.["key"] ?? "", "base64").toString()).toMatch(/^[0-9a-f-]{36}$/);
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 0, output: "" });
    await client.close();
  });

  test("run a pod", async () => {
    expect(await start("pods.js").ended).toEqual({ code: 0, output: "hello shop\n\nopen\n" });
  });

  test("empty a node", async () => {
    const client = kubernetesClient(cluster);
    await client.of("v1", "Node").create({ apiVersion: "v1", kind: "Node", metadata: { name: "worker-1" } });
    const spec = {
      nodeName: "worker-1",
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "web", image: "nginx" }],
    };
    const set = await client.of("apps/v1", "ReplicaSet").create({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { namespace: "default", name: "web" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: spec.containers } },
      },
    });
    const owner = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "web",
      uid: set.metadata?.uid ?? "",
      controller: true,
    };
    const metadata = { namespace: "default", name: "web", ownerReferences: [owner] };
    await client.of("v1", "Pod").create({ apiVersion: "v1", kind: "Pod", metadata, spec });
    const { code, output } = await start("maintenance.js").ended;
    expect(output.split("\n")).toEqual(
      expect.arrayContaining(["waited: met", "cordoned", "to be removed: [ 'web' ]", "drained"]),
    );
    expect(code).toBe(0);
    expect((await client.of("v1", "Node").get("worker-1")).spec?.unschedulable).toBeUndefined();
    await client.close();
  });

  test("the test of a day passes, and its process ends by itself", async () => {
    const { code, output } = await start("driven-time.test.js", "--test").ended;
    expect(output).toContain("# pass 1\n");
    expect(code).toBe(0);
  });

  test("the test of an operator passes, and its process ends by itself", async () => {
    const { code, output } = await start("operator.test.js", "--test").ended;
    expect(output).toContain("# pass 1\n");
    expect(code).toBe(0);
  });
});
