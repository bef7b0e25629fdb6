import { describe, expect, test } from "vitest";
import { controllerNames, enabledControllers } from "../../src/api/controllers/index.js";
import type { Node, NodeCondition, Pod, Taint } from "../../src/api/types/core/v1.js";
import { NodeHealth, unknownConditions } from "../../src/controllers/node-lifecycle/node-health.js";
import { repeatedLabels } from "../../src/controllers/node-lifecycle/node-lifecycle-controller.js";
import { changedTaints, noScheduleChange } from "../../src/controllers/node-lifecycle/node-writes.js";
import {
  taintRate,
  ZoneQueues,
  zoneOf,
  zoneState,
  type ZoneState,
} from "../../src/controllers/node-lifecycle/zones.js";
import { isStuck, surplus } from "../../src/controllers/pod-garbage-collector/pod-garbage-collector.js";
import {
  evictionStep,
  noExecuteTaints,
  tolerationTime,
} from "../../src/controllers/taint-eviction/taint-eviction-controller.js";

const taint = (key: string, effect: Taint["effect"] = "NoExecute", value?: string): Taint => ({
  key,
  effect,
  ...(value !== undefined && { value }),
});
const condition = (type: string, status: string): NodeCondition => ({ type, status }) as NodeCondition;
const node = (parts: Partial<Node> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  ...parts,
});

describe("how long a pod may stay on a tainted node", () => {
  const dead = taint("dead");
  test.each([
    ["one taint, no toleration", [dead], undefined, 0],
    ["one taint, another key tolerated", [dead], [{ key: "slow", operator: "Exists" }], 0],
    ["tolerated for ever", [dead], [{ key: "dead", operator: "Exists" }], Infinity],
    ["tolerated by every key", [dead], [{ operator: "Exists" }], Infinity],
    ["tolerated for 300 s", [dead], [{ key: "dead", operator: "Exists", tolerationSeconds: 300 }], 300_000],
    ["tolerated for 0 s", [dead], [{ key: "dead", operator: "Exists", tolerationSeconds: 0 }], 0],
    ["tolerated for less than nothing", [dead], [{ key: "dead", operator: "Exists", tolerationSeconds: -5 }], 0],
    ["tolerated for another effect", [dead], [{ key: "dead", operator: "Exists", effect: "NoSchedule" }], 0],
    ["an equal value", [taint("a", "NoExecute", "x")], [{ key: "a", value: "x" }], Infinity],
    ["another value", [taint("a", "NoExecute", "x")], [{ key: "a", value: "y" }], 0],
    [
      "two taints, the shorter toleration counts",
      [dead, taint("slow")],
      [
        { key: "dead", operator: "Exists", tolerationSeconds: 60 },
        { key: "slow", operator: "Exists", tolerationSeconds: 30 },
      ],
      30_000,
    ],
    ["two taints, one tolerated", [dead, taint("slow")], [{ key: "dead", operator: "Exists" }], 0],
    [
      "two tolerations of one taint, the first counts",
      [dead],
      [
        { key: "dead", operator: "Exists", tolerationSeconds: 60 },
        { operator: "Exists", tolerationSeconds: 10 },
      ],
      60_000,
    ],
    ["no taint", [], undefined, Infinity],
  ])("with %s", (_, taints, tolerations, time) => {
    expect(tolerationTime(taints, tolerations as never)).toBe(time);
  });

  test("without limit unless the effect is NoExecute", () => {
    const taints = [taint("a", "NoSchedule"), taint("b"), taint("c", "PreferNoSchedule")];
    expect(noExecuteTaints(taints)).toEqual([taint("b")]);
  });

  test.each([
    ["stays where all is tolerated", Infinity, undefined, { type: "keep" }],
    ["stays when the taints have gone", Infinity, 500, { type: "keep" }],
    ["goes at once", 0, undefined, { type: "evict" }],
    ["goes at once though it waited", 0, 5000, { type: "evict" }],
    ["waits", 300, undefined, { type: "wait", at: 1300 }],
    ["goes on waiting", 300, 1100, { type: "wait", at: 1100 }],
    ["is due", 300, 1000, { type: "evict" }],
    ["is overdue", 300, 900, { type: "evict" }],
  ])("so that it %s", (_, time, waiting, step) => {
    expect(evictionStep(time, waiting, 1000)).toEqual(step);
  });
});

describe("the NoSchedule taints that the controller derives from a node", () => {
  const key = (name: string): string => `node.kubernetes.io/${name}`;
  test.each([
    ["a ready node has none", [condition("Ready", "True")], [], [], []],
    ["not ready", [condition("Ready", "False")], [], ["not-ready"], []],
    ["unreachable", [condition("Ready", "Unknown")], [], ["unreachable"], []],
    ["unreachable after not ready", [condition("Ready", "Unknown")], ["not-ready"], ["unreachable"], ["not-ready"]],
    ["ready again", [condition("Ready", "True")], ["unreachable"], [], ["unreachable"]],
    ["a node without conditions", [], ["not-ready"], [], ["not-ready"]],
    ["memory", [condition("MemoryPressure", "True")], [], ["memory-pressure"], []],
    ["disk", [condition("DiskPressure", "True")], [], ["disk-pressure"], []],
    ["processes", [condition("PIDPressure", "True")], [], ["pid-pressure"], []],
    ["network", [condition("NetworkUnavailable", "True")], [], ["network-unavailable"], []],
    [
      "network is known",
      [condition("NetworkUnavailable", "False")],
      ["network-unavailable"],
      [],
      ["network-unavailable"],
    ],
    [
      "pressure that is unknown",
      [condition("MemoryPressure", "Unknown")],
      ["memory-pressure"],
      [],
      ["memory-pressure"],
    ],
    ["a condition of another kind", [condition("Odd", "True")], [], [], []],
    [
      "two at a time",
      [condition("Ready", "False"), condition("DiskPressure", "True")],
      [],
      ["not-ready", "disk-pressure"],
      [],
    ],
    ["nothing new", [condition("Ready", "False")], ["not-ready"], [], []],
  ])("of its conditions: %s", (_, conditions, present, add, remove) => {
    const taints = present.map((name) => taint(key(name), "NoSchedule"));
    const change = noScheduleChange(node({ spec: { taints }, status: { conditions } }));
    expect(change.add.map((one) => one.key)).toEqual(add.map(key));
    expect(change.remove.map((one) => one.key)).toEqual(remove.map(key));
  });

  test.each([
    ["a cordoned node is tainted", true, [], 1, 0],
    ["once", true, [taint(key("unschedulable"), "NoSchedule")], 0, 0],
    ["an uncordoned one is not", false, [taint(key("unschedulable"), "NoSchedule")], 0, 1],
    ["taints of users stay", false, [taint("mine", "NoSchedule")], 0, 0],
    ["taints of other effects stay", false, [taint(key("not-ready"))], 0, 0],
  ])("of its spec: %s", (_, unschedulable, taints, add, remove) => {
    const change = noScheduleChange(node({ spec: { unschedulable, taints } }));
    expect([change.add.length, change.remove.length]).toEqual([add, remove]);
  });

  test.each([
    ["adds with the time", [], [taint("a")], [], [{ ...taint("a"), timeAdded: "T" }]],
    ["adds nothing twice", [taint("a")], [taint("a")], [], undefined],
    [
      "tells effects apart",
      [taint("a", "NoSchedule")],
      [taint("a")],
      [],
      [taint("a", "NoSchedule"), { ...taint("a"), timeAdded: "T" }],
    ],
    ["removes", [taint("a"), taint("b")], [], [taint("a")], [taint("b")]],
    ["removes nothing that is not there", [taint("b")], [], [taint("a")], undefined],
    ["swaps", [taint("a")], [taint("b")], [taint("a")], [{ ...taint("b"), timeAdded: "T" }]],
  ])("and changes: it %s", (_, taints, add, remove, expected) => {
    expect(changedTaints(taints, { add, remove }, "T")).toEqual(expected);
  });
});

test.each([
  ["no labels", undefined, {}],
  ["added", { "kubernetes.io/os": "linux" }, { "beta.kubernetes.io/os": "linux" }],
  [
    "corrected",
    { "kubernetes.io/arch": "arm64", "beta.kubernetes.io/arch": "amd64" },
    { "beta.kubernetes.io/arch": "arm64" },
  ],
  ["equal", { "kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux" }, {}],
  ["the older name alone", { "beta.kubernetes.io/os": "linux" }, {}],
])("the older copies of a node's labels: %s", (_, labels, expected) => {
  expect(repeatedLabels(labels as Record<string, string> | undefined)).toEqual(expected);
});

describe("a silent node becomes unknown", () => {
  const start = Date.UTC(2026, 0, 1);
  const posted = (heartbeat: string): Node =>
    node({ status: { conditions: [{ ...condition("Ready", "True"), lastHeartbeatTime: heartbeat }] } });
  const lease = (renewTime: string) => ({ metadata: { name: "n" }, spec: { renewTime } });

  test("50 s after the controller first saw it", () => {
    const health = new NodeHealth();
    health.observe(posted("a"), start);
    expect(health.deadline(posted("a"))).toBe(start + 50_000);
  });

  test("after a grace period of 10 s when the cluster is configured so", () => {
    const health = new NodeHealth(10_000);
    health.observe(posted("a"), start);
    expect(health.deadline(posted("a"))).toBe(start + 10_000);
  });

  test("60 s after its creation, before its first status", () => {
    const health = new NodeHealth();
    const fresh = node({ metadata: { name: "n", creationTimestamp: "2026-01-01T00:00:00Z" } });
    health.observe(fresh, start + 30_000);
    expect(health.deadline(fresh)).toBe(start + 60_000);
  });

  test.each([
    ["the same heartbeat puts it off by nothing", "a", 50_000],
    ["another heartbeat does", "b", 60_000],
  ])("later or not by %s", (_, heartbeat, wait) => {
    const health = new NodeHealth();
    health.observe(posted("a"), start);
    health.observe(posted(heartbeat), start + 10_000);
    expect(health.deadline(posted(heartbeat))).toBe(start + wait);
  });

  test.each([
    ["a renewed Lease puts it off", "2026-01-01T00:00:20.000000Z", 70_000],
    ["a Lease of the same time does not", "2026-01-01T00:00:00.000000Z", 50_000],
    ["an older one does not", "2025-01-01T00:00:00.000000Z", 50_000],
  ])("later or not by its Lease: %s", (_, renewTime, wait) => {
    const health = new NodeHealth();
    health.observe(posted("a"), start);
    health.renewed(lease("2026-01-01T00:00:00.000000Z"), start);
    health.renewed(lease(renewTime), start + 20_000);
    expect(health.deadline(posted("a"))).toBe(start + wait);
  });

  test("later after the controller renews the grace of all nodes", () => {
    const health = new NodeHealth();
    health.observe(posted("a"), start);
    health.renewAll(start + 40_000);
    expect(health.deadline(posted("a"))).toBe(start + 90_000);
  });

  test.each([
    ["True", "NodeStatusUnknown", "Kubelet stopped posting node status."],
    ["False", "NodeStatusUnknown", "Kubelet stopped posting node status."],
    ["Unknown", undefined, undefined],
  ])("by changing a Ready condition that was %s", (status, reason, message) => {
    const [ready] = unknownConditions(node({ status: { conditions: [condition("Ready", status)] } }), start);
    expect([ready?.status, ready?.reason, ready?.message]).toEqual(["Unknown", reason, message]);
  });

  test("with conditions that were never posted, except for the network's", () => {
    const conditions = unknownConditions(node(), start);
    expect(conditions.map(({ type }) => type)).toEqual(["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"]);
    expect(new Set(conditions.map(({ reason }) => reason))).toEqual(new Set(["NodeStatusNeverUpdated"]));
  });
});

describe("the zone of a node", () => {
  test.each([
    ["", {}],
    ["r:\0:z", { "topology.kubernetes.io/region": "r", "topology.kubernetes.io/zone": "z" }],
    [":\0:z", { "topology.kubernetes.io/zone": "z" }],
    ["r:\0:", { "failure-domain.beta.kubernetes.io/region": "r" }],
  ])("is made of its region and zone labels %j", (zone, labels) => {
    expect(zoneOf(node({ metadata: { name: "n", labels: labels as Record<string, string> } }))).toBe(zone);
  });

  test.each([
    [0, 0, "Normal"],
    [1, 0, "Normal"],
    [0, 1, "FullDisruption"],
    [1, 2, "Normal"],
    [2, 3, "PartialDisruption"],
    [3, 3, "Normal"],
    [9, 11, "PartialDisruption"],
    [46, 54, "Normal"],
    [45, 55, "PartialDisruption"],
    [0, 100, "FullDisruption"],
  ])("with %i ready nodes and %i others is in the state %s", (ready, notReady, state) => {
    expect(zoneState(ready, notReady)).toBe(state);
  });

  test.each<[ZoneState, number, number]>([
    ["Normal", 10, 0.1],
    ["FullDisruption", 10, 0.1],
    ["PartialDisruption", 50, 0],
    ["PartialDisruption", 51, 0.01],
  ])("in the state %s with %i nodes gets %f taints a second", (state, size, rate) => {
    expect(taintRate(state, size)).toBe(rate);
  });

  const states = (...of: readonly ZoneState[]) =>
    new Map(of.map((state, index) => [`zone-${index}`, { state, size: 3 }] as const));

  test("has its nodes tainted ten seconds apart, independent of other zones", () => {
    const queues = new ZoneQueues();
    queues.update(states("Normal", "Normal"), 0);
    for (const name of ["a", "b"]) queues.add("zone-0", name);
    queues.add("zone-1", "c");
    expect([queues.take(0), queues.take(9999), queues.take(10_000)]).toEqual([["a", "c"], [], ["b"]]);
    expect(queues.nextAt).toBe(Infinity);
  });

  test("gets no taints while all zones are fully disrupted", () => {
    const queues = new ZoneQueues();
    queues.add("zone-0", "a");
    expect(queues.update(states("FullDisruption"), 0)).toBe("stopped");
    expect([queues.take(0), queues.nextAt]).toEqual([[], Infinity]);
    expect(queues.update(states("FullDisruption"), 1)).toBe(undefined);
    expect(queues.update(states("Normal"), 2)).toBe("resumed");
    expect(queues.take(2)).toEqual(["a"]);
  });

  test("gets taints when it alone is fully disrupted", () => {
    const queues = new ZoneQueues();
    queues.add("zone-0", "a");
    expect(queues.update(states("FullDisruption", "Normal"), 0)).toBe(undefined);
    expect(queues.take(0)).toEqual(["a"]);
  });

  test("of few nodes in partial disruption gets none until it recovers", () => {
    const queues = new ZoneQueues();
    queues.add("zone-0", "a");
    queues.update(states("PartialDisruption"), 0);
    expect(queues.take(0)).toEqual([]);
    queues.update(states("Normal"), 5);
    expect(queues.take(5)).toEqual(["a"]);
  });

  test("has a removed node dropped from the queue", () => {
    const queues = new ZoneQueues();
    queues.add("zone-0", "a");
    queues.remove("a");
    expect(queues.take(0)).toEqual([]);
  });
});

describe("the garbage collection of ended pods deletes", () => {
  const ended = (name: string, second: number, status: Pod["status"] = { phase: "Succeeded" }): Pod => ({
    metadata: { name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    status,
  });
  const evicted: Pod["status"] = { phase: "Failed", reason: "Evicted" };
  test.each([
    ["not more than are kept", [ended("a", 1), ended("b", 2)], 2, []],
    ["the oldest first", [ended("a", 2), ended("b", 1)], 1, ["b"]],
    ["of one age by name", [ended("b", 1), ended("a", 1)], 1, ["a"]],
    ["evicted ones before", [ended("a", 1), ended("b", 2, evicted)], 1, ["b"]],
    ["pods that run do not count", [ended("a", 1, { phase: "Running" }), ended("b", 2)], 0, ["b"]],
  ])("by number: %s", (_, pods, threshold, names) => {
    expect(surplus(pods, threshold).map(({ metadata }) => metadata?.name)).toEqual(names);
  });

  const out = taint("node.kubernetes.io/out-of-service", "NoExecute", "nodeshutdown");
  test.each([
    ["a pod that is not deleted", {}, undefined, false],
    ["a deleted pod without a node", { deleted: true }, undefined, true],
    [
      "on a node that is ready",
      { deleted: true, bound: true },
      node({ status: { conditions: [condition("Ready", "True")] } }),
      false,
    ],
    [
      "out of service and ready",
      { deleted: true, bound: true },
      node({ spec: { taints: [out] }, status: { conditions: [condition("Ready", "True")] } }),
      false,
    ],
    ["out of service and not ready", { deleted: true, bound: true }, node({ spec: { taints: [out] } }), true],
    ["out of service, not deleted", { bound: true }, node({ spec: { taints: [out] } }), false],
    ["not ready alone", { deleted: true, bound: true }, node(), false],
  ])("depending on: %s", (_, { deleted, bound }: { deleted?: boolean; bound?: boolean }, on, stuck) => {
    const pod: Pod = {
      metadata: { name: "p", ...(deleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
      spec: { containers: [], ...(bound && { nodeName: "n" }) },
    };
    expect(isStuck(pod, on)).toBe(stuck);
  });
});

test("node controllers have kube-controller-manager's names", () => {
  expect(controllerNames).toEqual([...controllerNames].sort());
  expect([...enabledControllers(["nodelifecycle", "taint-eviction-controller"])]).toEqual([
    "node-lifecycle-controller",
    "taint-eviction-controller",
  ]);
});
