import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Pod } from "../../src/api/types/core/v1.js";
import { kubernetesClient, type KubernetesClient } from "../../src/client/index.js";
import { type DrivenCluster, manualClock, startCluster } from "../../src/cluster/index.js";
import { serviceUnavailable } from "../../src/machinery/errors/status-error.js";
import { podRequests } from "../../src/scheduler/cache/pod-info.js";
import { imageLocality } from "../../src/scheduler/plugins/image-locality.js";
import type { OwnFilter } from "../../src/server/filters/own-filter.js";
import { call } from "../helpers/api-caller.js";
import { total } from "../helpers/scraped-metrics.js";
import { quietCluster, readyNodes } from "../helpers/quiet-cluster.js";
import { cacheOf, node, pod, type PodShape, scored } from "./cluster-state.js";

const VERSIONS = ["1.36", "1.37"] as const;
type Version = (typeof VERSIONS)[number];

interface Scheduled {
  readonly cluster: DrivenCluster;
  readonly client: KubernetesClient;
  /** How many bindings the server refuses as if it were not there. */
  refused: number;
}

/** Clusters with a scheduler, whose time passes when a test says so. */
const clusters = new Map<Version, Scheduled>();

beforeAll(async () => {
  for (const kubernetesVersion of VERSIONS) {
    const filter: OwnFilter = {
      name: "refuse-bindings",
      filter: (next) => (request) => {
        if (request.info.subresource !== "binding" || scheduled.refused === 0) return next(request);
        scheduled.refused--;
        throw serviceUnavailable("the server is starting");
      },
    };
    const cluster = await startCluster({
      ...quietCluster,
      ...readyNodes,
      port: false,
      scheduler: {},
      clock: manualClock(),
      kubernetesVersion,
      filters: [filter],
    });
    const client = kubernetesClient({ transport: () => cluster.transport() });
    const scheduled: Scheduled = { cluster, client, refused: 0 };
    clusters.set(kubernetesVersion, scheduled);
    const { metadata, spec, status } = node("a", { allocatable: { cpu: "2" } });
    await client.of("v1", "Node").create({ metadata: { name: metadata?.name ?? "" }, ...(spec && { spec }) });
    await client.of("v1", "Node").patchStatus("a", { status }, { type: "merge" });
    for (const [name, value] of [
      ["high", 1000],
      ["low", 10],
    ] as const)
      await client.of("scheduling.k8s.io/v1", "PriorityClass").create({ metadata: { name }, value });
  }
});

afterAll(async () => {
  for (const { client, cluster } of clusters.values()) {
    await client.close();
    await cluster.close();
  }
});

const scheduledIn = (version: Version): Scheduled => clusters.get(version) as Scheduled;
const podsOf = (version: Version) => scheduledIn(version).client.of("v1", "Pod").namespace("default");

async function addPod(version: Version, name: string, shape: PodShape): Promise<void> {
  const { metadata, ...rest } = pod(name, { namespace: "default", ...shape });
  const { uid: _, ...named } = metadata ?? {};
  await podsOf(version).create({ ...rest, metadata: named });
  await scheduledIn(version).cluster.clock.advance("2s");
}

const messageOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === "PodScheduled")?.message;

async function failures(version: Version, name: string): Promise<readonly (string | undefined)[]> {
  const { items } = await scheduledIn(version).client.of("events.k8s.io/v1", "Event").namespace("default").list();
  return items
    .filter(({ regarding, reason }) => regarding?.name === name && reason === "FailedScheduling")
    .map(({ note }) => note);
}

test.each([
  ["1.36", ""],
  ["1.37", " preemption: found a potential placement for pod on node a, preempting 1 victims"],
] as const)("K37-160: the event of a scheduler of %s about a pod that it preempts", async (version, more) => {
  await addPod(version, "low", { priorityClassName: "low", requests: { cpu: "2" } });
  await addPod(version, "high", { priorityClassName: "high", requests: { cpu: "1" } });
  const message = `0/1 nodes are available: 1 Insufficient cpu.${more}`;
  const high = await podsOf(version).get("high");
  expect(high.status?.nominatedNodeName).toBe("a");
  expect(messageOf(high)).toBe(message);
  expect(await failures(version, "high")).toEqual([message]);
  for (const name of ["low", "high"]) await podsOf(version).delete(name, { gracePeriodSeconds: 0 });
  await scheduledIn(version).cluster.clock.advance("2s");
});

test.each([
  ["1.36", [undefined, undefined]],
  ["1.37", [1, 1]],
] as const)("K37-165: the alpha metrics of a scheduler of %s", async (version, expected) => {
  const { cluster } = scheduledIn(version);
  const scrape = async (): Promise<string> =>
    (await call(cluster.transport(), "GET", "/metrics", undefined, { accept: "text/plain" })).text;
  await scrape();
  await addPod(version, "placed", { requests: { cpu: "100m" } });
  await addPod(version, "waits", { requests: { cpu: "100" } });
  const text = await scrape();
  expect(total(text, "scheduler_pending_pods", { queue: "unschedulable" })).toBe(1);
  const shown = (name: string): boolean => text.includes(`# TYPE ${name} `);
  const [algorithm, entities] = [
    "scheduler_scheduling_algorithm_duration_seconds",
    "scheduler_queued_entities",
  ] as const;
  expect([
    shown(algorithm) ? total(text, `${algorithm}_count`) : undefined,
    shown(entities) ? total(text, entities, { queue: "unschedulable", type: "pod" }) : undefined,
  ]).toEqual(expected);
  for (const name of ["placed", "waits"]) await podsOf(version).delete(name, { gracePeriodSeconds: 0 });
  await cluster.clock.advance("2s");
});

describe("K37-161: when the server is not ready for a binding, a scheduler of", () => {
  test.each([
    ["1.36 gives back to the queue", "1.36", 1, ["the server is starting"]],
    ["1.37 tries again", "1.37", 3, []],
    ["1.37 gives back to the queue when it fails again and again", "1.37", 4, ["the server is starting"]],
  ] as const)("%s", async (_title, version, refused, expected) => {
    const scheduled = scheduledIn(version);
    scheduled.refused = refused;
    await addPod(version, `bound-${refused}`, { requests: { cpu: "100m" } });
    await scheduled.cluster.clock.advance("10s");
    expect(scheduled.refused).toBe(0);
    expect((await podsOf(version).get(`bound-${refused}`)).spec?.nodeName).toBe("a");
    const said = await failures(version, `bound-${refused}`);
    expect(said).toEqual(expected.map((part) => expect.stringContaining(part)));
  });
});

test("K37-163: the scheduler scores the image of a volume no higher than the same image of a container", () => {
  const images = [{ names: ["big:1"], sizeBytes: 2 * 1000 * 1024 * 1024 }];
  const nodes = [{ ...node("has"), status: { ...node("has").status, images } }, node("lacks")];
  const scoreOf = (shape: PodShape): number | undefined =>
    scored(imageLocality({ nodes: cacheOf(nodes) }), cacheOf(nodes), pod("p", shape))["has"];
  const asContainers = scoreOf({ containers: [{ image: "small:1" }, { image: "big:1" }] });
  const volumes = [{ name: "v", image: { reference: "big:1" } }];
  expect(scoreOf({ containers: [{ image: "small:1" }], volumes })).toBe(asContainers);
  expect(asContainers).toBeGreaterThan(0);
});

describe("K37-166: the CPU (in thousandths) that the scheduler counts for a pod while it is resized", () => {
  const asks = (name: string, cpu: string) => ({ name, resources: { requests: { cpu } } });
  const status = (name: string, has: { readonly allocated?: string; readonly actual?: string }) => ({
    name,
    ready: true,
    restartCount: 0,
    image: "",
    imageID: "",
    ...(has.allocated && { allocatedResources: { cpu: has.allocated } }),
    ...(has.actual && { resources: { requests: { cpu: has.actual } } }),
  });
  const infeasible = [{ type: "PodResizePending", status: "True", reason: "Infeasible" }] as const;
  const two = [asks("a", "1"), asks("b", "3")];
  const crossed = [status("a", { allocated: "3" }), status("b", { allocated: "1" })];

  test.each<[string, PodShape, number, number]>([
    ["two containers that swap", { containers: two, status: { containerStatuses: crossed } }, 6000, 4000],
    [
      "what the containers have is more than what they ask for",
      { containers: two, status: { containerStatuses: [status("a", { actual: "2" }), status("b", { actual: "3" })] } },
      5000,
      5000,
    ],
    [
      "an init container that has more than it asks for",
      {
        containers: [asks("c", "500m")],
        initContainers: [asks("i", "1")],
        status: { initContainerStatuses: [status("i", { actual: "4" })] },
      },
      4000,
      4000,
    ],
    [
      "a resize that can never be had",
      {
        containers: [asks("c", "5")],
        status: { conditions: [...infeasible], containerStatuses: [status("c", { actual: "2" })] },
      },
      2000,
      2000,
    ],
    [
      "such a resize before the first status of the container",
      { containers: [asks("c", "5")], status: { conditions: [...infeasible] } },
      5000,
      0,
    ],
  ])("%s", (_title, shape, older, newer) => {
    expect(podRequests(pod("p", shape)).requests.milliCpu).toBe(older);
    expect(podRequests(pod("p", shape), "by-pod").requests.milliCpu).toBe(newer);
  });
});
