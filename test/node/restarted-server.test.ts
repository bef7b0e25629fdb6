import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deferred } from "../../src/base/async/deferred.js";
import { systemClock } from "../../src/base/time/clock.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { systemTimers } from "../../src/base/time/timers.js";
import { kubernetesClient, type KubernetesClient } from "../../src/client/dynamic/kubernetes-client.js";
import type { ClusterOptions } from "../../src/cluster/options/cluster-options.js";
import { startCluster } from "../../src/cluster/start-cluster.js";
import { list, object, objects, text } from "../../src/machinery/meta/access.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { startNodeFleet } from "../../src/node/node-fleet.js";
import { ScriptedRuntime } from "../../src/node/scripted/scripted-runtime.js";
import { eventually } from "../helpers/eventually.js";
import { inShortTurns } from "../helpers/short-turns.js";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kubets-restarted-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const optionsOf = (folder: string): ClusterOptions => ({
  storage: "disk",
  dataDir: folder,
  port: false,
  nodes: [{ name: "node-1" }],
});

async function createPod(client: KubernetesClient, name: string, script: string): Promise<void> {
  const containers = [{ name: "c", image: "busybox", command: ["sh", "-c", script] }];
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers } };
  await client
    .of("v1", "Pod")
    .namespace("default")
    .create(pod as never);
}

const read = async (client: KubernetesClient, name: string): Promise<KubeObject> =>
  (await client.of("v1", "Pod").namespace("default").get(name)) as KubeObject;
const container = (pod: KubeObject) => objects(object(pod.status).containerStatuses)[0] ?? {};

test("a pod with a pathological pattern delays no request, also not after a restart from disk", async () => {
  const script = "while :; do case $(printf %03000d 0) in *0*0*0*0*0*1) ;; esac; done";
  for (const restartCount of [0, 1]) {
    await using cluster = await startCluster(optionsOf(dataDir));
    await using client = kubernetesClient(cluster);
    if (restartCount === 0) await createPod(client, "long", script);
    await eventually(async () =>
      expect(container(await read(client, "long"))).toMatchObject({ ready: true, restartCount }),
    );
    await inShortTurns(async () => {
      for (let reads = 0; reads < 10; reads += 1) await read(client, "long");
    });
  }
});

const names = async (client: KubernetesClient): Promise<readonly string[]> => {
  const { items } = await client.of("v1", "Pod").namespace("default").list();
  return items.map(({ metadata }) => metadata?.name ?? "");
};

test("a pod is not started a third time when the server ended twice soon after its start, unless it names no command", async () => {
  let folder = join(dataDir, "first");
  const uids: string[] = [];
  for (const attempt of [0, 1, 2]) {
    await using cluster = await startCluster(optionsOf(folder));
    await using client = kubernetesClient(cluster);
    if (attempt === 0) {
      await createPod(client, "spins", "while :; do :; done");
      const spec = { containers: [{ name: "c", image: "nginx" }] };
      const still = { apiVersion: "v1", kind: "Pod", metadata: { name: "still" }, spec };
      await client
        .of("v1", "Pod")
        .namespace("default")
        .create(still as never);
    }
    await eventually(async () =>
      expect(container(await read(client, "still"))).toMatchObject({ ready: true, restartCount: attempt }),
    );
    const pod = await eventually(async () => {
      const one = await read(client, "spins");
      if (attempt < 2) expect(container(one)).toMatchObject({ ready: true, restartCount: attempt });
      else expect(object(object(container(one).state).waiting).reason).toBe("NotRunAgain");
      return one;
    });
    uids.push(pod.metadata?.uid ?? "");
    if (attempt < 2) {
      // What the disk has while the server runs is what it has after SIGKILL.
      const copy = join(dataDir, `copy-${attempt}`);
      cpSync(folder, copy, { recursive: true });
      folder = copy;
      continue;
    }
    const { message } = object(object(container(pod).state).waiting);
    expect(message).toMatch(
      /^the server's process ended 2 times within 30s of this pod's start, so the pod is not run/,
    );
    await eventually(async () => {
      const { items } = await client.of("v1", "Event").namespace("default").list();
      const said = list(items)
        .map(object)
        .filter((event) => text(event.reason) === "NotRunAgain");
      expect(said.map((event) => [event.type, event.message])).toEqual([["Warning", message]]);
    });
    await client.of("v1", "Pod").namespace("default").delete("spins");
    await eventually(async () => expect(await names(client)).toEqual(["still"]));
  }
  expect(new Set(uids).size).toBe(1);
});

test("a pod runs again after each orderly restart of the server", async () => {
  for (const attempt of [0, 1, 2, 3]) {
    await using cluster = await startCluster(optionsOf(dataDir));
    await using client = kubernetesClient(cluster);
    if (attempt === 0) await createPod(client, "runs", "sleep infinity");
    await eventually(async () =>
      expect(container(await read(client, "runs"))).toMatchObject({ ready: true, restartCount: attempt }),
    );
  }
});

test("K37-185: init containers run again when a pod's sandbox is made anew", async () => {
  const [initContainers, containers] = ["true", "sleep infinity"].map((script, index) => [
    { name: `c${index}`, image: "busybox", command: ["sh", "-c", script] },
  ]);
  const ids: unknown[] = [];
  for (const attempt of [0, 1]) {
    await using cluster = await startCluster({ ...optionsOf(dataDir), kubernetesVersion: "1.37" });
    await using client = kubernetesClient(cluster);
    const pods = client.of("v1", "Pod").namespace("default");
    if (attempt === 0)
      await pods.create({ metadata: { name: "begins" }, spec: { initContainers, containers } } as never);
    const pod = await eventually(async () => {
      const found = await read(client, "begins");
      expect(container(found)).toMatchObject({ ready: true, restartCount: attempt });
      return found;
    });
    const [init] = objects(object(pod.status).initContainerStatuses);
    expect(init).toMatchObject({ ready: true, state: { terminated: { exitCode: 0 } } });
    ids.push(init?.containerID);
  }
  expect(new Set(ids).size).toBe(2);
});

test("a node starts no pod before its server is ready", async () => {
  await using cluster = await startCluster({ ...optionsOf(dataDir), nodes: [] });
  await using client = kubernetesClient(cluster);
  const ready = deferred<void>();
  const surroundings = { clock: systemClock, timers: systemTimers, random: systemRandom };
  const started: string[] = [];
  const images = { tells: { entrypoint: () => (started.push("tells"), 0) } };
  const runtime = new ScriptedRuntime({ images, ...surroundings });
  const tls = () => ({ certificate: "", key: "", clientCa: "" });
  const fleet = await startNodeFleet({
    nodes: [{ name: "node-1", runtime, podCidr: "10.244.0.0/24", tls }],
    transport: cluster.transport(),
    ...surroundings,
    reportError: () => {},
    ready: ready.promise,
  });
  try {
    const spec = { containers: [{ name: "c", image: "tells" }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "tells" }, spec };
    await client
      .of("v1", "Pod")
      .namespace("default")
      .create(pod as never);
    await eventually(() => expect(fleet.node("node-1")?.workers.find("default", "tells")).toBeDefined());
    // What the node writes comes in order: a pod that had been started would have its status by now.
    for (let reads = 0; reads < 50; reads += 1) await read(client, "tells");
    expect([object((await read(client, "tells")).status).startTime, started]).toEqual([undefined, []]);
    ready.resolve();
    await eventually(() => expect(started).not.toEqual([]));
  } finally {
    await fleet.stop();
  }
});
