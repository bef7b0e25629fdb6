import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCluster } from "../../../src/cluster/index.js";
import { buildWriter } from "../../durability/writer-process.js";
import { FaultProxy } from "../../faults/informers/fault-proxy.js";
import { Dice } from "../../hostile/dice.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";

let built: Awaited<ReturnType<typeof buildWriter>>;

beforeAll(async () => {
  built = await buildWriter("lone-informer", "test/client/informers");
});
afterAll(() => built.remove());

/** The program, and the lines that it has printed so far. */
function startInformer(port: number): { readonly child: ChildProcess; readonly lines: () => string[] } {
  const env = { PATH: process.env["PATH"], SERVER: `http://127.0.0.1:${port}` };
  const child = spawn(process.execPath, [built.script], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  return { child, lines: () => output.split("\n").filter((line) => line !== "") };
}

/** SIGTERM, and the way the process ends by it: [code, signal]. */
async function stop(child: ChildProcess): Promise<unknown[]> {
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  return exit;
}

describe("a process that runs an informer and nothing else", () => {
  test("lives while its server is away, follows it when it comes, and ends when the informer's signal aborts", async () => {
    const [port = 0] = await freePorts(1);
    const { child, lines } = startInformer(port);
    const proxy = new FaultProxy(new Dice("lone informer"));
    try {
      await eventually(async () => expect(lines().length).toBeGreaterThanOrEqual(2));
      expect(lines()[0]).toContain(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
      await using cluster = await startCluster({ port: 0 });
      proxy.target = cluster;
      await proxy.listen(port);
      await eventually(async () => expect(lines()).toContain("added kube-root-ca.crt"));
      await call(cluster.transport(), "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "new" } });
      await eventually(async () => expect(lines()).toContain("added new"));
      expect(await stop(child)).toEqual([0, null]);
      expect(lines().at(-1)).toBe("stopped");
    } finally {
      child.kill("SIGKILL");
      await proxy.close();
    }
  });

  test("ends at once when the signal aborts while its server is away", async () => {
    const [port = 0] = await freePorts(1);
    const { child, lines } = startInformer(port);
    try {
      await eventually(async () => expect(lines()).not.toEqual([]));
      expect(await stop(child)).toEqual([0, null]);
      expect(lines().at(-1)).toBe("stopped");
    } finally {
      child.kill("SIGKILL");
    }
  });
});
