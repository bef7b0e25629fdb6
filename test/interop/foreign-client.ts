import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { call } from "../helpers/api-caller.js";
import { type FakeKubelet, startFakeKubelet } from "../helpers/fake-kubelet.js";

type Language = "go" | "java" | "python" | "rust";

const { foreignClient } = (await import("../helpers/build-foreign-clients.mjs" as string)) as {
  foreignClient: (language: Language) => { readonly command?: readonly string[]; readonly missing?: string };
};

/** One line of JSON on the program's stdout. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What the program saw; of a failed check, the client's own exception. */
  readonly detail: string;
}

/** Ends a program that hangs, well before the hook's own limit, so that its stderr is shown. */
const LONGEST_RUN_MILLISECONDS = 90_000;
const LONGEST_HOOK_MILLISECONDS = 120_000;

/**
 * Runs the program of test/interop/<language> once against a cluster of its own, and makes a test of every check. The
 * program exits with 0 whether its checks passed or not; another exit code fails all tests with its stderr. A check that the
 * program runs and `checks` does not name is a failure, too.
 *
 * The program's surroundings: KUBECONFIG; MANIFEST, a file of several documents; LOGGED_POD in the namespace "default", which
 * has a log; EXPIRED_RESOURCE_VERSION and EXPIRED_CONTINUE, of lists of namespaces that the server can no longer go on from.
 */
export function describeForeignClient(language: Language, title: string, checks: readonly string[]): void {
  const { command, missing } = foreignClient(language);
  if (missing !== undefined) process.stdout.write(`${language} interop is skipped: ${missing}\n`);

  describe.skipIf(command === undefined)(title, () => {
    let cluster: Cluster;
    let kubelet: FakeKubelet;
    let folder: string;
    let results: ReadonlyMap<string, Check>;

    beforeAll(async () => {
      [cluster, kubelet] = await Promise.all([startCluster(), startFakeKubelet()]);
      folder = await mkdtemp(join(tmpdir(), `kubets-${language}-`));
      const kubeconfig = join(folder, "kubeconfig");
      await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
      const env = {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        TMPDIR: folder,
        KUBECONFIG: kubeconfig,
        MANIFEST: join(import.meta.dirname, "several-documents.yaml"),
        LOGGED_POD: await createLoggedPod(cluster, kubelet),
        ...(await expire(cluster)),
      };
      results = new Map((await runChecks(command ?? [], env, folder)).map((check) => [check.name, check]));
    }, LONGEST_HOOK_MILLISECONDS);
    afterAll(async () => {
      await cluster?.close();
      await kubelet?.close();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    });

    test.each(checks)("%s", (name) => {
      const { ok, detail } = results.get(name) ?? { ok: false, detail: "the program did not run this check" };
      expect(ok, detail).toBe(true);
    });

    test("these are all checks of the program", () => {
      expect([...results.keys()]).toEqual(checks);
    });
  });
}

function runChecks(command: readonly string[], env: Record<string, string>, cwd: string): Promise<Check[]> {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const limit = setTimeout(() => child.kill("SIGKILL"), LONGEST_RUN_MILLISECONDS);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(limit);
      if (code !== 0) return reject(new Error(`${program} ended with ${code ?? signal}:\n${stdout}${stderr}`));
      const lines = stdout.split("\n").filter((line) => line !== "");
      return resolve(lines.map((line) => JSON.parse(line) as Check));
    });
  });
}

/** The pod is bound to a node whose agent is `kubelet`. Answers its name. */
async function createLoggedPod(cluster: Cluster, kubelet: FakeKubelet): Promise<string> {
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
  };
  await post(cluster, "/api/v1/nodes", { metadata: { name: "node" }, status });
  const spec = { nodeName: "node", containers: [{ name: "app", image: "nginx" }] };
  await post(cluster, "/api/v1/namespaces/default/pods", { metadata: { name: "logged" }, spec });
  return "logged";
}

/** Lists namespaces, then writes more bytes of history than the server keeps. */
async function expire(cluster: Cluster): Promise<Record<string, string>> {
  const { text: list } = await call(cluster.transport(), "GET", "/api/v1/namespaces?limit=1");
  const { metadata } = JSON.parse(list) as { metadata: { resourceVersion: string; continue: string } };
  const configMaps = "/api/v1/namespaces/default/configmaps";
  const large = (content: string) => ({ metadata: { name: "large" }, data: { content } });
  await post(cluster, configMaps, large(""));
  for (let written = 0; written < 70; written++) {
    const { status, text } = await call(
      cluster.transport(),
      "PUT",
      `${configMaps}/large`,
      large(`${written}`.padEnd(1_000_000, "-")),
    );
    expect(status, text).toBe(200);
  }
  await call(cluster.transport(), "DELETE", `${configMaps}/large`);
  return { EXPIRED_RESOURCE_VERSION: metadata.resourceVersion, EXPIRED_CONTINUE: metadata.continue };
}

async function post(cluster: Cluster, path: string, body: object): Promise<void> {
  const { status, text } = await call(cluster.transport(), "POST", path, body);
  expect(status, text).toBe(201);
}
