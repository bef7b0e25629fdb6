import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kubernetesClient, type KubernetesClient, loadConfig } from "../../../src/client/index.js";
import { LeaderElector } from "../../../src/client/leaderelection/index.js";
import { startCluster } from "../../../src/cluster/index.js";
import { eventually } from "../../helpers/eventually.js";

let folder: string;
let cluster: Awaited<ReturnType<typeof startCluster>>;
let client: KubernetesClient;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-election-"));
  await build({
    entryPoints: [join(import.meta.dirname, "candidate-program.ts")],
    outfile: join(folder, "candidate.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
  });
  cluster = await startCluster({ storage: "memory", controllers: false });
  await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig());
  client = kubernetesClient(await loadConfig({ kubeconfig: join(folder, "kubeconfig") }));
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await client.close();
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the program; `lines` are what it has said so far. */
function start(lease: string) {
  const arguments_ = [join(folder, "candidate.mjs"), join(folder, "kubeconfig"), lease];
  const child = spawn(process.execPath, arguments_, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return { child, lines, ended: once(child, "exit") };
}

const says = (lines: readonly string[], line: string): Promise<void> =>
  eventually(async () => expect(lines.slice(-1)).toEqual([line]));

function other(lease: string): { readonly elector: LeaderElector; stop(): Promise<void> } {
  const elector = new LeaderElector({ client, lease: { namespace: "default", name: lease }, onStartedLeading() {} });
  const stopping = new AbortController();
  const run = elector.run(stopping.signal);
  return {
    elector,
    stop() {
      stopping.abort();
      return run;
    },
  };
}

const leads = ({ elector }: ReturnType<typeof other>): Promise<void> =>
  eventually(async () => expect(elector.isLeader()).toBe(true));

// Windows has no SIGSTOP.
test.skipIf(process.platform === "win32")(
  "a leader that SIGSTOP stops, and that SIGCONT continues after another took over, never leads again",
  async () => {
    const { child, lines, ended } = start("stopped");
    await says(lines, "leads");
    child.kill("SIGSTOP");
    const next = other("stopped");
    await leads(next);
    const before = lines.length;
    child.kill("SIGCONT");
    expect(await ended).toEqual([0, null]);
    const since = lines.slice(before);
    expect(since).not.toContain("leads");
    // It may say once more that it does not lead before it ends.
    expect(since).toContain("lost");
    await next.stop();
  },
);

test("a waiting candidate keeps its process alive, and the process ends when its signal aborts", async () => {
  const first = other("waiting");
  await leads(first);
  const { child, lines, ended } = start("waiting");
  await eventually(async () => expect(lines.filter((line) => line === "does not lead").length).toBeGreaterThan(50));
  expect(child.exitCode).toBeNull();
  child.kill("SIGTERM");
  expect(await ended).toEqual(process.platform === "win32" ? [null, "SIGTERM"] : [0, null]);
  await first.stop();
});

test("a leader whose signal aborts releases the Lease to another", async () => {
  const { child, lines, ended } = start("handed-on");
  await says(lines, "leads");
  child.kill("SIGTERM");
  await ended;
  const next = other("handed-on");
  await leads(next);
  await next.stop();
});
