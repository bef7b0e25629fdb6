import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { certificateOf, registerApi, untilAvailable } from "../../helpers/aggregated-backend.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { realTool } from "../../helpers/real-tools.js";
import { realHelm } from "../../helpers/run-real-helm.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

// A server that is built on Go's k8s.io/apiserver, which `npm run bench:servers` measures too, behind our aggregator.
const GROUP = "bench.example.com";
const SOURCE = join(import.meta.dirname, "../../../bench/servers/go");

function goMissing(): string | undefined {
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "there is no Go here";
  }
}

const missing = goMissing() ?? realTool("kubectl").missing ?? realTool("helm").missing;
if (missing !== undefined) process.stdout.write(`a Go server behind the aggregator is skipped: ${missing}\n`);

/** Go fetches modules and compiles the server. */
const BUILD = 600_000;

const note = (name: string, text: string): string =>
  JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: "Note", metadata: { name }, spec: { text } });

describe.skipIf(missing !== undefined)("a Go server on k8s.io/apiserver behind our aggregator", () => {
  let folder: string;
  let main: Cluster;
  let server: ChildProcess;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-go-server-"));
    const program = join(folder, "notes-server");
    const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
    execFileSync("go", ["build", "-mod=readonly", "-p", "1", "-o", program, "."], { cwd: SOURCE, env, stdio: "pipe" });
    const { certificate, key } = certificateOf(GROUP);
    const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    await writeFile(certFile, certificate);
    await writeFile(keyFile, key);
    const [port = 0] = await freePorts(1);
    const flags = [`--secure-port=${port}`, `--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`];
    server = spawn(program, flags, { stdio: "ignore" });
    main = await startCluster({ ...quietCluster, port: 0 });
    await registerApi(main.transport(), { group: GROUP, port });
    await untilAvailable(main.transport(), GROUP);
    kubectl = await realKubectl(main);
    await eventually(() => kubectl.ok("get notes"));
  }, BUILD);

  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await main?.close();
    if (server !== undefined && server.exitCode === null) {
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  });

  test("AGG-2, PRX-1: kubectl creates, reads, changes, lists and deletes its objects", async () => {
    expect(await kubectl.ok("create -f -", note("one", "first"))).toBe("note.bench.example.com/one created\n");
    expect(await kubectl.ok("get note one -o jsonpath={.spec.text}")).toBe("first");
    await kubectl.ok(["patch", "note", "one", "--type=merge", "-p", '{"spec":{"text":"second"}}']);
    expect(await kubectl.ok("get note one -o jsonpath={.spec.text}")).toBe("second");
    expect(await kubectl.ok("apply --server-side -f -", note("two", "applied"))).toBe(
      "note.bench.example.com/two serverside-applied\n",
    );
    expect(await kubectl.ok("get notes -o name")).toBe("note.bench.example.com/one\nnote.bench.example.com/two\n");
    expect((await kubectl.run("get note none")).stderr).toBe(
      'Error from server (NotFound): notes.bench.example.com "none" not found\n',
    );
    await kubectl.ok("delete notes --all");
    expect(await kubectl.ok("get notes -o name")).toBe("");
  });

  test("sends client-go's informer, which `kubectl wait` uses, the change and the end of an object", async () => {
    await kubectl.ok("create -f -", note("awaited", "no"));
    const changed = kubectl.ok(["wait", "note/awaited", "--for=jsonpath={.spec.text}=yes", "--timeout=60s"]);
    await kubectl.ok(["patch", "note", "awaited", "--type=merge", "-p", '{"spec":{"text":"yes"}}']);
    expect(await changed).toBe("note.bench.example.com/awaited condition met\n");
    const gone = kubectl.ok("wait note/awaited --for=delete --timeout=60s");
    await kubectl.ok("delete note awaited");
    await gone;
  });

  test("DISC-5, AOA-2: has its resources in discovery, and its schema in explain", async () => {
    await eventually(async () => {
      expect(await kubectl.ok(`api-resources --api-group=${GROUP} --no-headers --cached=false`)).toMatch(/^notes /);
      expect(await kubectl.ok("explain notes.spec.text")).toContain("FIELD: text <string>");
    });
  });

  test("lets helm install, upgrade and uninstall a chart with one of its objects", async () => {
    await using helm = await realHelm(main);
    const chart = join(helm.folder, "notes");
    await mkdir(join(chart, "templates"), { recursive: true });
    await writeFile(join(chart, "Chart.yaml"), "apiVersion: v2\nname: notes\nversion: 1.0.0\n");
    await writeFile(join(chart, "values.yaml"), "text: first\n");
    await writeFile(
      join(chart, "templates", "note.yaml"),
      note("of-a-chart", "TEXT").replace('"TEXT"', "{{ .Values.text | quote }}"),
    );
    await helm.ok("install", "notes", chart, "--wait");
    expect(await kubectl.ok("get note of-a-chart -o jsonpath={.spec.text}")).toBe("first");
    await helm.ok("upgrade", "notes", chart, "--set=text=second");
    expect(await kubectl.ok("get note of-a-chart -o jsonpath={.spec.text}")).toBe("second");
    await helm.ok("uninstall", "notes");
    expect((await kubectl.run("get note of-a-chart")).code).toBe(1);
  });
});
