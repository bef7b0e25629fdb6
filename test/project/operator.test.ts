import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFromFile, isForbidden, kubernetesClient, type KubernetesClient, waitFor } from "../../src/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { freePorts } from "../helpers/free-ports.js";
import { packageMissing } from "../helpers/packed-project.js";
import { installProgram, programIsBuilt } from "../helpers/program-under-test.js";

const root = join(import.meta.dirname, "../..");
const missing = programIsBuilt ? packageMissing : "the program is not built; run npm run build";
if (missing !== undefined) process.stdout.write(`operator projects are not tested: ${missing}\n`);

// What `project new operator` writes is built, tested and run as its author would, with the packages of this checkout.
describe.skipIf(missing !== undefined)("AT-31: the project that `kubets project new operator` writes", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-operator-"));
  const project = join(folder, "library");
  const programs = join(folder, "bin");
  const env = {
    ...process.env,
    PATH: `${programs}:${join(project, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  };
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (command: string, args: readonly string[], more: Record<string, string> = {}) =>
    promisify(execFile)(command, args, { cwd: project, env: { ...env, ...more } });

  beforeAll(async () => {
    await mkdir(programs, { recursive: true });
    await mkdir(project);
    installProgram(join(programs, "kubets"));
    const flags = ["--group=library.example.com", "--kind=BookShelf", "--plural=bookshelves"];
    await run("kubets", ["project", "new", "operator", ".", ...flags]);
    // In place of npm install: what the package.json asks for, as this checkout has it.
    await mkdir(join(project, "node_modules"));
    symlinkSync(root, join(project, "node_modules/kubets"));
    for (const name of ["typescript", "vitest", "@types", "@typescript", ".bin"]) {
      symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
    }
  });

  test("compiles, and its tests pass on a Kubernetes API in their process", async () => {
    const { stdout } = await run("npm", ["test"], { NO_COLOR: "1" });
    expect(stdout).toContain("3 passed");
  });

  test("has manifests of which --verify says whether they are as the code says", async () => {
    await run("npm", ["run", "manifests:verify"]);
    const role = join(project, "config/rbac/role.yaml");
    const text = readFileSync(role, "utf8");
    writeFileSync(role, text.replace("tokenreviews", "tokens"));
    const failed = await run("kubets", ["project", "generate", "--verify"]).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("config/rbac/role.yaml") as string });
    const { stdout } = await run("kubets", ["project", "generate"]);
    expect(stdout).toBe(`${role} written\n`);
    expect(readFileSync(role, "utf8")).toBe(text);
    expect((await run("kubets", ["project", "generate"])).stdout).toBe("");
  });

  test("is not overwritten by a second `project new`, which names what is there", async () => {
    const before = readFileSync(join(project, "src/main.ts"), "utf8");
    const flags = ["--group=other.example.com", "--kind=Book"];
    const failed = await run("kubets", ["project", "new", "operator", ".", ...flags]).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("src/main.ts") as string });
    expect(readFileSync(join(project, "src/main.ts"), "utf8")).toBe(before);
  });

  test("has a second kind by `project add kind`, whose tests pass beside those of the first", async () => {
    const { stdout, stderr } = await run("kubets", ["project", "add", "kind", "Reader"]);
    expect(stderr).toBe("");
    expect(stdout).toContain("src/controllers/reader.ts written");
    expect((await run("npm", ["test"], { NO_COLOR: "1" })).stdout).toContain("6 passed");
    const again = await run("kubets", ["project", "add", "kind", "Reader"]).catch((error: unknown) => error);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("src/api/reader.ts") as string });
  });

  test("runs on a cluster of this machine by `npm run dev`, and again when a file changes; Ctrl-C ends all of it", async () => {
    const [webhooks, health, metrics] = (await freePorts(3)).map(String);
    const ports = { WEBHOOK_PORT: webhooks, HEALTH_PORT: health, METRICS_PORT: metrics };
    const dev = spawn(process.execPath, ["scripts/dev.mjs"], {
      cwd: project,
      env: { ...env, ...ports },
      detached: true,
    });
    let shown = "";
    for (const stream of [dev.stdout, dev.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (shown += text));
    const ended = once(dev, "exit");
    try {
      const kubeconfig = await eventually(() => {
        const [, file] = /export KUBECONFIG=(\S+)/.exec(shown) ?? expect.fail(shown);
        return file ?? "";
      });
      const client = kubernetesClient(await configFromFile(kubeconfig));
      const objects = client.of("library.example.com/v1", "BookShelf").namespace("default");
      const made = await eventually(() => objects.create({ metadata: { name: "one" } }));
      expect(made["spec"]).toEqual({ text: "hello" });
      await waitFor(objects, "one", (object) => JSON.stringify(object["status"] ?? "").includes('"Applied"'));
      const file = join(project, "src/webhooks/book-shelf.ts");
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replace('"hello"', '"good night"'));
      let tries = 0;
      await eventually(async () => {
        const again = await objects.create({ metadata: { name: `two-${tries++}` } });
        expect(again["spec"]).toEqual({ text: "good night" });
      });
      expect((await objects.get("one"))["spec"]).toEqual({ text: "hello" });
      writeFileSync(file, text);
      await client.close();
    } finally {
      process.kill(-(dev.pid ?? expect.fail("it did not start")), "SIGINT");
      await ended;
    }
    expect(shown).not.toMatch(/^error/m);
  });

  describe("as a process beside a cluster", () => {
    let cluster: Cluster;
    let client: KubernetesClient;
    let operator: ChildProcess | undefined;
    let log = "";
    let ports: number[];
    beforeAll(async () => {
      cluster = await startCluster();
      client = kubernetesClient(cluster);
      const kubeconfig = join(folder, "kubeconfig");
      writeFileSync(kubeconfig, cluster.kubeconfig());
      ports = await freePorts(3);
      const [webhooks, health, metrics] = ports.map(String);
      const url = `--webhook-url=https://127.0.0.1:${webhooks ?? ""}`;
      await run("kubets", ["project", "generate", "--to=.dev", url]);
      const apply = ["apply", "--server-side", "-k", ".dev/crd"];
      await run("kubets", apply, { KUBECONFIG: kubeconfig });
      await run("kubets", ["apply", "--server-side", "-f", ".dev/webhook"], { KUBECONFIG: kubeconfig });
      operator = spawn(process.execPath, ["dist/main.js"], {
        cwd: project,
        env: {
          ...env,
          KUBECONFIG: kubeconfig,
          WEBHOOK_HOST: "127.0.0.1",
          WEBHOOK_PORT: webhooks,
          HEALTH_PORT: health,
          METRICS_PORT: metrics,
        },
        stdio: ["ignore", "ignore", "pipe"],
      });
      operator.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
      await eventually(async () => {
        expect((await fetch(`http://127.0.0.1:${ports[1] ?? 0}/readyz`)).status, log).toBe(200);
      });
    });
    afterAll(async () => {
      operator?.kill("SIGKILL");
      await client.close();
      await cluster.close();
    });
    const objects = () => client.of("library.example.com/v1", "BookShelf").namespace("default");

    test("its controller reconciles what `config/samples` has", async () => {
      const kubeconfig = join(folder, "kubeconfig");
      await run("kubets", ["apply", "-f", "config/samples"], { KUBECONFIG: kubeconfig });
      await waitFor(objects(), "sample", (object) => JSON.stringify(object["status"] ?? "").includes('"Applied"'));
      const { data } = await client.of("v1", "ConfigMap").namespace("default").get("sample");
      expect(data).toEqual({ text: "good morning" });
    });

    test("its webhooks are called by the API server over TLS, by the authority that the manager announced", async () => {
      const made = await objects().create({ metadata: { name: "plain" } });
      expect(made["spec"]).toEqual({ text: "hello" });
      const change = objects().patch("plain", { spec: { owner: "joe" } }, { type: "merge" });
      await expect(change).rejects.toSatisfy(isForbidden);
    });

    test("ends with code 0 on SIGTERM, having written nothing on stderr, and gives up its lease", async () => {
      if (operator === undefined) expect.fail("it does not run");
      const ended = once(operator, "exit");
      operator.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      expect(log).toBe("");
      const lease = await client.of("coordination.k8s.io/v1", "Lease").namespace("default").get("library");
      expect(lease.spec?.holderIdentity ?? "").toBe("");
    });
  });
});
