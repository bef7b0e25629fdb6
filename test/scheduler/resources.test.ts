import { describe, expect, test } from "vitest";
import type { Container } from "../../src/api/types/core/v1.js";
import { podRequests } from "../../src/scheduler/cache/pod-info.js";
import { milliValue, wholeValue } from "../../src/machinery/text/quantity/quantity.js";
import { amountOf } from "../../src/scheduler/cache/resources.js";
import { balancedAllocation } from "../../src/scheduler/plugins/node-resources/balanced-allocation.js";
import { nodeResourcesFit } from "../../src/scheduler/plugins/node-resources/fit.js";
import {
  balance,
  balancedScore,
  leastRequestedScore,
  mostRequestedScore,
  type ScoringStrategy,
  shapeScore,
} from "../../src/scheduler/plugins/node-resources/scoring.js";
import { cacheOf, node, placed, pod, type PodShape, scored } from "./cluster-state.js";

const asks = (cpu: string, more: Partial<Container> = {}): Partial<Container> => ({
  resources: { requests: { cpu } },
  ...more,
});

describe("the CPU (in thousandths) that the scheduler counts for a pod:", () => {
  test.each<[string, PodShape, number]>([
    ["its containers together", { containers: [asks("1"), asks("500m")] }, 1500],
    [
      "an init container that takes more than they do",
      { containers: [asks("1")], initContainers: [{ name: "i", ...asks("3") }] },
      3000,
    ],
    [
      "not an init container that takes less",
      { containers: [asks("1")], initContainers: [{ name: "i", ...asks("500m") }] },
      1000,
    ],
    [
      "sidecars beside the containers",
      { containers: [asks("1")], initContainers: [{ name: "s", restartPolicy: "Always", ...asks("1") }] },
      2000,
    ],
    [
      "an init container beside the sidecars before it",
      {
        containers: [asks("1")],
        initContainers: [
          { name: "s", restartPolicy: "Always", ...asks("1") },
          { name: "i", ...asks("2") },
        ],
      },
      3000,
    ],
    [
      "an init container without the sidecars after it",
      {
        containers: [asks("1")],
        initContainers: [
          { name: "i", ...asks("2") },
          { name: "s", restartPolicy: "Always", ...asks("1") },
        ],
      },
      2000,
    ],
    ["the overhead on top", { containers: [asks("1")], overhead: { cpu: "250m" } }, 1250],
    [
      "the requests of the whole pod in place of its containers'",
      { containers: [asks("1")], resources: { requests: { cpu: "4" } } },
      4000,
    ],
    ["nothing without requests", { containers: [{}] }, 0],
    [
      "what a container has while its resize down is under way",
      {
        containers: [asks("1", { name: "c" })],
        status: {
          containerStatuses: [
            { name: "c", resources: { requests: { cpu: "2" } }, ready: true, restartCount: 0, image: "", imageID: "" },
          ],
        },
      },
      2000,
    ],
    [
      "what a container is to have while its resize up is under way",
      {
        containers: [asks("3", { name: "c" })],
        status: {
          containerStatuses: [
            { name: "c", resources: { requests: { cpu: "2" } }, ready: true, restartCount: 0, image: "", imageID: "" },
          ],
        },
      },
      3000,
    ],
  ])("%s", (_title, shape, expected) => {
    expect(podRequests(pod("p", shape)).requests.milliCpu).toBe(expected);
  });

  test.each<[string, PodShape, number, number]>([
    [
      "PRI-5 a container without requests counts as 100m and 200 MiB in scores (not 200 MB)",
      {},
      100,
      200 * 1024 * 1024,
    ],
    ["each such container counts", { containers: [{}, {}] }, 200, 400 * 1024 * 1024],
    ["a container with a CPU request keeps it", { containers: [asks("2")] }, 2000, 200 * 1024 * 1024],
    [
      "a pod with requests of its own keeps those",
      { containers: [{}], resources: { requests: { cpu: "1", memory: "1Gi" } } },
      1000,
      1024 ** 3,
    ],
  ])("%s", (_title, shape, cpu, memory) => {
    const { nonZeroMilliCpu, nonZeroMemory } = podRequests(pod("p", shape));
    expect([nonZeroMilliCpu, nonZeroMemory]).toEqual([cpu, memory]);
  });

  test.each([
    ["100m", 100],
    ["0.5", 500],
    ["2", 2000],
    ["1500u", 2],
  ])("the scheduler reads %s CPU as %i thousandths", (quantity, expected) => {
    expect(milliValue(quantity)).toBe(expected);
  });

  test.each([
    ["1Ki", 1024],
    ["1k", 1000],
    ["16Gi", 17_179_869_184],
    ["100m", 1],
  ])("the scheduler reads %s as %i bytes", (quantity, expected) => {
    expect(wholeValue(quantity)).toBe(expected);
  });

  test("the scheduler counts extended resources and huge pages by name, and no other names", () => {
    const { requests } = podRequests(
      pod("p", { requests: { "example.com/gpu": "2", "hugepages-2Mi": "4Mi", storage: "1Gi" } }),
    );
    expect(["example.com/gpu", "hugepages-2Mi", "storage"].map((name) => amountOf(requests, name))).toEqual([
      2, 4_194_304, 0,
    ]);
  });
});

describe("the scheduler plugin NodeResourcesFit filters nodes:", () => {
  const full = (...reasons: string[]): string => `0/1 nodes are available: ${reasons.join(", ")}.`;
  test.each<[string, Record<string, string>, Record<string, string>, Record<string, string>, string]>([
    ["what is free is enough", {}, { cpu: "3" }, { cpu: "1" }, "a"],
    ["less CPU than asked for", {}, { cpu: "3" }, { cpu: "1001m" }, full("1 Insufficient cpu")],
    ["less memory", {}, { memory: "8Gi" }, { memory: "1" }, full("1 Insufficient memory")],
    [
      "less of both: each is named",
      {},
      { cpu: "4", memory: "8Gi" },
      { cpu: "1", memory: "1Gi" },
      full("1 Insufficient cpu", "1 Insufficient memory"),
    ],
    [
      "less ephemeral storage",
      { "ephemeral-storage": "1Gi" },
      {},
      { "ephemeral-storage": "2Gi" },
      full("1 Insufficient ephemeral-storage"),
    ],
    [
      "less of an extended resource",
      { "example.com/gpu": "1" },
      { "example.com/gpu": "1" },
      { "example.com/gpu": "1" },
      full("1 Insufficient example.com/gpu"),
    ],
    ["none of an extended resource", {}, {}, { "example.com/gpu": "1" }, full("1 Insufficient example.com/gpu")],
    ["as many pods as the node takes", { pods: "1" }, {}, {}, full("1 Too many pods")],
    [
      "too many pods and too little CPU: both are named",
      { pods: "1" },
      { cpu: "4" },
      { cpu: "1" },
      full("1 Insufficient cpu", "1 Too many pods"),
    ],
    ["a pod that asks for nothing fits a full node", {}, { cpu: "4", memory: "8Gi" }, {}, "a"],
    ["all that the node has is enough", {}, {}, { cpu: "4", memory: "8Gi" }, "a"],
  ])("%s", (_title, allocatable, taken, wanted, expected) => {
    const cache = cacheOf([node("a", { allocatable })], [pod("old", { nodeName: "a", requests: taken })]);
    expect(placed([nodeResourcesFit()], cache, pod("new", { requests: wanted }))).toBe(expected);
  });

  test.each<[string, Parameters<typeof nodeResourcesFit>[0], string]>([
    ["a resource by name", { ignoredResources: ["example.com/gpu"] }, "a"],
    ["the resources of a domain", { ignoredResourceGroups: ["example.com"] }, "a"],
    ["another resource", { ignoredResources: ["example.com/tpu"] }, full("1 Insufficient example.com/gpu")],
  ])("the profile can exclude %s", (_title, args, expected) => {
    const asking = pod("p", { requests: { "example.com/gpu": "1" } });
    expect(placed([nodeResourcesFit(args)], cacheOf([node("a")]), asking)).toBe(expected);
  });
});

describe("the scheduler's scores for resources", () => {
  test.each([
    // PRI-4 has 7, 6 of 10: the same formula on 1.36's scale of 0 to 100.
    ["PRI-4 1000m of 4000m", 1000, 4000, 75],
    ["PRI-4 2000m of 4000m", 2000, 4000, 50],
    ["a third", 1, 3, 66],
    ["nothing", 0, 4000, 100],
    ["all", 4000, 4000, 0],
    ["more than all", 5000, 4000, 0],
    ["of nothing", 0, 0, 0],
  ])("least requested: %s", (_title, requested, capacity, expected) => {
    expect(leastRequestedScore(requested, capacity)).toBe(expected);
  });

  test.each([
    ["a quarter", 1000, 4000, 25],
    ["nothing", 0, 4000, 0],
    ["all", 4000, 4000, 100],
    ["more than all counts as all", 5000, 4000, 100],
    ["of nothing", 10, 0, 0],
  ])("most requested: %s", (_title, requested, capacity, expected) => {
    expect(mostRequestedScore(requested, capacity)).toBe(expected);
  });

  const shape = [
    { utilization: 0, score: 10 },
    { utilization: 70, score: 5 },
    { utilization: 100, score: 0 },
  ];
  test.each([
    [0, 100],
    [35, 75],
    [70, 50],
    [71, 49],
    [85, 25],
    [100, 0],
    [120, 0],
  ])("requested to capacity ratio: %i %% used scores %i on a line through three points", (utilization, expected) => {
    expect(shapeScore(shape, utilization)).toBe(expected);
  });

  test.each<[string, number[], number[], number]>([
    ["equal shares", [50, 500], [100, 1000], 100],
    ["half and nothing", [50, 0], [100, 1000], 75],
    ["all and nothing", [100, 0], [100, 1000], 50],
    ["more than all counts as all", [200, 0], [100, 1000], 50],
    ["three resources by their standard deviation", [100, 0, 0], [100, 100, 100], 52],
    ["a resource that the node lacks does not count", [50, 500, 7], [100, 1000, 0], 100],
  ])("balance between resources for %s", (_title, requested, capacity, expected) => {
    expect(balance(requested, capacity)).toBe(expected);
  });

  test.each([
    ["75 where the pod changes nothing", 80, 80, 75],
    ["100 where it makes an uneven node even", 100, 50, 100],
    ["50 where it makes an even node uneven", 50, 100, 50],
    ["whole numbers", 81, 80, 75],
  ])("the balanced score is %s", (_title, withPod, without, expected) => {
    expect(balancedScore(withPod, without)).toBe(expected);
  });

  const cache = cacheOf(
    [node("empty"), node("half")],
    [pod("old", { nodeName: "half", requests: { cpu: "2", memory: "4Gi" } })],
  );
  const asking = pod("p", { requests: { cpu: "1", memory: "2Gi" } });
  test.each<[string, ScoringStrategy | undefined, Record<string, number>]>([
    ["SCD-2 LeastAllocated by default: the empty node", undefined, { empty: 75, half: 25 }],
    [
      "SCD-2 MostAllocated, in the place of ClusterAutoscalerProvider: the fuller node",
      { type: "MostAllocated" },
      { empty: 25, half: 75 },
    ],
    [
      "RequestedToCapacityRatio: as its shape says",
      { type: "RequestedToCapacityRatio", requestedToCapacityRatio: { shape } },
      { empty: 83, half: 42 },
    ],
    [
      "resources by weight: memory alone",
      { type: "LeastAllocated", resources: [{ name: "memory", weight: 3 }] },
      { empty: 75, half: 25 },
    ],
  ])("by NodeResourcesFit with %s", (_title, strategy, expected) => {
    expect(scored(nodeResourcesFit(strategy && { scoringStrategy: strategy }), cache, asking)).toEqual(expected);
  });

  test("by NodeResourcesBalancedAllocation prefer the node that the pod balances", () => {
    const uneven = cacheOf([node("a"), node("b")], [pod("old", { nodeName: "b", requests: { memory: "4Gi" } })]);
    expect(scored(balancedAllocation(), uneven, pod("p", { requests: { cpu: "2" } }))).toEqual({ a: 62, b: 87 });
  });

  test("by NodeResourcesBalancedAllocation are left out for a pod without requests", () => {
    expect(scored(balancedAllocation(), cache, pod("p"))).toEqual({ empty: 0, half: 0 });
  });
});
