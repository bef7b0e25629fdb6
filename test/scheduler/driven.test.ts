import { describe, expect, test } from "vitest";
import { kubernetesClient, type KubernetesClient } from "../../src/client/index.js";
import { type DrivenCluster, manualClock, seededRandom, startCluster } from "../../src/cluster/index.js";
import { quietCluster, readyNodes } from "../helpers/quiet-cluster.js";
import { node, pod, type PodShape } from "./cluster-state.js";

/** A cluster whose time is driven, with nodes that nothing runs on. */
async function driven(seed: string, nodes: readonly string[]) {
  const own = { port: false, clock: manualClock(), random: seededRandom(seed) } as const;
  const cluster = await startCluster({ ...quietCluster, ...readyNodes, ...own, scheduler: {} });
  const client = kubernetesClient(cluster);
  for (const name of nodes) {
    const { status } = node(name);
    await client.of("v1", "Node").create({ metadata: { name } });
    await client.of("v1", "Node").patchStatus(name, { status }, { type: "merge" });
  }
  return { cluster, client };
}

async function addPod(client: KubernetesClient, name: string, shape: PodShape = {}): Promise<void> {
  const { spec } = pod(name, shape);
  await client
    .of("v1", "Pod")
    .namespace("default")
    .create({ metadata: { name }, ...(spec && { spec }) });
}

async function close({ cluster, client }: { cluster: DrivenCluster; client: KubernetesClient }): Promise<void> {
  await client.close();
  await cluster.close();
}

describe("a scheduler on a manual clock", () => {
  test("makes the same pods and events in two runs of one seed", async () => {
    const run = async (): Promise<string> => {
      const { cluster, client } = await driven("lots", ["a", "b", "c"]);
      for (let index = 0; index < 12; index++) await addPod(client, `p${index}`, { requests: { cpu: "900m" } });
      await cluster.clock.advance("1s");
      const pods = await client.of("v1", "Pod").namespace("default").list();
      const events = await client.of("events.k8s.io/v1", "Event").namespace("default").list();
      await close({ cluster, client });
      return JSON.stringify([
        pods.items,
        events.items.map(({ metadata, regarding, note }) => [metadata?.name, regarding?.name, note]),
      ]);
    };
    const [first, second] = [await run(), await run()];
    expect(first).toBe(second);
    expect(first.match(/Successfully assigned/g)).toHaveLength(12);
  });

  test("tries a pod that fits nowhere every five minutes for hours, and writes nothing", async () => {
    const { cluster, client } = await driven("hours", ["a"]);
    await addPod(client, "huge", { requests: { cpu: "100" } });
    await cluster.clock.advance("1s");
    const before = await client.of("v1", "Pod").namespace("default").get("huge");
    await cluster.clock.advance("6h");
    const after = await client.of("v1", "Pod").namespace("default").get("huge");
    expect(after.metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
    expect(after.status?.conditions?.[0]?.message).toMatch(/^0\/1 nodes are available: 1 Insufficient cpu\. /);
    await close({ cluster, client });
  });
});
