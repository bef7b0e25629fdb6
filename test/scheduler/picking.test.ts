import { describe, expect, test } from "vitest";
import type { Pod } from "../../src/api/types/core/v1.js";
import type { PodDisruptionBudget } from "../../src/api/types/policy/v1.js";
import { podInfo } from "../../src/scheduler/cache/pod-info.js";
import { interleaveZones } from "../../src/scheduler/cache/scheduler-cache.js";
import { CycleState } from "../../src/scheduler/framework/cycle-state.js";
import { Diagnosis, fitMessage } from "../../src/scheduler/framework/diagnosis.js";
import { normalizeScores, type SchedulerPlugin, type SchedulerHandle } from "../../src/scheduler/framework/plugin.js";
import { nodeChanges, podChanges } from "../../src/scheduler/framework/object-changes.js";
import { feasibleNodesToFind, NodePicker } from "../../src/scheduler/node-picker.js";
import { type Status, unresolvable, unschedulable } from "../../src/scheduler/framework/status.js";
import { Action } from "../../src/scheduler/framework/cluster-event.js";
import { createProfiles } from "../../src/scheduler/create-profiles.js";
import type { SchedulerOptions } from "../../src/scheduler/options.js";
import { nodeResourcesFit } from "../../src/scheduler/plugins/node-resources/fit.js";
import { candidateCount } from "../../src/scheduler/plugins/preemption/default-preemption.js";
import { byBudget, byImportance, type Candidate, cheapest } from "../../src/scheduler/plugins/preemption/victims.js";
import { statusPatch } from "../../src/scheduler/pod-status.js";
import { Nominator } from "../../src/scheduler/queue/nominator.js";
import { seededRandom } from "../helpers/seeded-random.js";
import { cacheOf, node, placed, pod, type PodShape, profileOf } from "./cluster-state.js";

describe("the scheduler looks only at a part of many nodes:", () => {
  test.each([
    [0, 50, 50],
    [0, 99, 99],
    [0, 100, 100],
    [0, 200, 100],
    [0, 1000, 420],
    [0, 5000, 500],
    [0, 6000, 300],
    [0, 10_000, 500],
    [10, 5000, 500],
    [5, 1000, 100],
    [100, 1000, 1000],
    [70, 1000, 700],
  ])("SMP-1, SMP-2 at %i %% (0 adapts) of %i nodes it ends after %i that fit", (percentage, nodes, expected) => {
    expect(feasibleNodesToFind(percentage, nodes)).toBe(expected);
  });

  test("SMP-3 it takes nodes from each zone in turn", () => {
    const zone = (name: string): Record<string, string> => ({ "topology.kubernetes.io/zone": name });
    const nodes = ["a", "a", "a", "b", "c", "c"].map((name, index) => ({ id: `${name}${index}`, labels: zone(name) }));
    expect(interleaveZones(nodes).map(({ id }) => id)).toEqual(["a0", "b3", "c4", "a1", "c5", "a2"]);
  });

  test("SMP-3 it begins where the attempt before ended", () => {
    const seen: string[] = [];
    const watching: SchedulerPlugin = {
      name: "W",
      filter: (_s, _i, { name }) => void seen.push(name) as undefined,
      score: () => 0,
    };
    const cache = cacheOf(Array.from({ length: 150 }, (_, index) => node(`n${index}`)));
    const picker = new NodePicker(cache, new Nominator(), seededRandom("x"));
    for (const name of ["p", "q"]) picker.pick(profileOf([watching]), new CycleState(), podInfo(pod(name)));
    expect([seen.length, seen[0], seen[100], seen[149], seen[150]]).toEqual([200, "n0", "n100", "n149", "n0"]);
  });
});

describe("the scheduler chooses among the nodes that fit", () => {
  const scoring = (scores: Record<string, number>): SchedulerPlugin => ({
    name: "S",
    score: (_s, _i, { name }) => scores[name] ?? 0,
  });
  const nodes = ["a", "b", "c"].map((name) => node(name));

  test("the one with the highest score", () => {
    expect(placed([scoring({ a: 10, b: 90, c: 50 })], cacheOf(nodes), pod("p"))).toBe("b");
  });

  test("PRI-1 by scores multiplied by weights and added (0 to 100 in 1.36, not 0 to 10)", () => {
    const [a, b] = [scoring({ a: 100, b: 0 }), { ...scoring({ a: 0, b: 60 }), name: "T" }];
    const options: SchedulerOptions = { plugins: { S: () => a, T: () => b } };
    const pick = (weight: number): unknown => {
      const enabled = [{ name: "S" }, { name: "T", weight }, { name: "PrioritySort" }, { name: "DefaultBinder" }];
      const profiles = createProfiles(
        { ...options, profiles: [{ plugins: { disabled: ["*"], enabled } }] },
        () => ({ client: {} }) as SchedulerHandle,
      );
      const picker = new NodePicker(cacheOf(nodes), new Nominator(), seededRandom("x"));
      return picker.pick(profiles.get("default-scheduler") as never, new CycleState(), podInfo(pod("p")));
    };
    expect([pick(1), pick(2)]).toEqual(["a", "b"]);
  });

  test("PRI-3 (superseded) at random among equal ones, not in turn; a seed gives the same choices", () => {
    const draws = (seed: string): string[] => {
      const picker = new NodePicker(cacheOf(nodes), new Nominator(), seededRandom(seed));
      const profile = profileOf([scoring({})]);
      return Array.from({ length: 30 }, () => picker.pick(profile, new CycleState(), podInfo(pod("p"))) as string);
    };
    expect(draws("one")).toEqual(draws("one"));
    expect(draws("one")).not.toEqual(draws("two"));
    expect(new Set(draws("one"))).toEqual(new Set(["a", "b", "c"]));
  });

  test("and fails the attempt when a plugin's score is out of range", () => {
    expect(() => placed([scoring({ a: 101 })], cacheOf(nodes), pod("p"))).toThrow(
      'plugin "S" returns an invalid score 101, it should in the range of [0, 100] after normalizing',
    );
  });

  test.each([
    ["the highest becomes 100", [1, 2, 4], false, [25, 50, 100]],
    ["turned round the lowest does", [0, 2, 4], true, [100, 50, 0]],
    ["all zero stays zero", [0, 0], false, [0, 0]],
    ["all zero turned round is 100", [0, 0], true, [100, 100]],
    ["whole numbers", [1, 3], false, [33, 100]],
  ])("after normalizing scores: %s", (_title, scores, reverse, expected) => {
    const own = [...scores];
    normalizeScores(own, reverse);
    expect(own).toEqual(expected);
  });
});

describe("PRD-5 pods that preemption has nominated to a node", () => {
  const pick = (priority: number, nominatedPriority: number): unknown => {
    const nominator = new Nominator();
    nominator.set(podInfo(pod("nominated", { priority: nominatedPriority, requests: { cpu: "3" } })), "a");
    const picker = new NodePicker(cacheOf([node("a")]), nominator, seededRandom("x"));
    const found = picker.pick(
      profileOf([nodeResourcesFit()]),
      new CycleState(),
      podInfo(pod("p", { priority, requests: { cpu: "2" } })),
    );
    return found instanceof Diagnosis ? "none" : found;
  };
  test.each([
    ["higher priority takes", 0, 10, "none"],
    ["equal priority takes", 10, 10, "none"],
    ["lower priority does not take", 10, 0, "a"],
  ])("a nominated pod of %s the room from the pod that is scheduled", (_title, priority, nominated, expected) => {
    expect(pick(priority, nominated)).toBe(expected);
  });

  test("go to that node before the scheduler looks at others", () => {
    const nominee = pod("p", { status: { nominatedNodeName: "c" } });
    const best: SchedulerPlugin = { name: "S", score: (_s, _i, { name }) => (name === "a" ? 100 : 0) };
    expect(placed([best], cacheOf(["a", "b", "c"].map((name) => node(name))), nominee)).toBe("c");
  });
});

describe("the message of a pod that fits no node", () => {
  const message = (
    count: number,
    statuses: Record<string, Status>,
    more: { absent?: Status; preFilterMessage?: string; postFilterMessage?: string } = {},
  ): string =>
    fitMessage(count, {
      statuses: new Map(Object.entries(statuses)),
      absent: undefined,
      preFilterMessage: "",
      postFilterMessage: "",
      ...more,
    });
  const cpu = unschedulable("F", "Insufficient cpu");
  const taint = unresolvable("T", "node(s) had untolerated taint(s)");
  test.each<[string, string, string]>([
    [
      "counts nodes by reason",
      message(3, { a: cpu, b: taint, c: taint }),
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).",
    ],
    [
      "sorts by text, so that 10 comes before 2",
      message(12, { a: cpu, b: cpu }, { absent: taint }),
      "0/12 nodes are available: 10 node(s) had untolerated taint(s), 2 Insufficient cpu.",
    ],
    [
      "counts each reason of a node",
      message(1, { a: unschedulable("F", "Insufficient cpu", "Too many pods") }),
      "0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods.",
    ],
    [
      "has the prefilter's message alone",
      message(3, { a: cpu }, { preFilterMessage: "pod affinity terms conflict" }),
      "0/3 nodes are available: pod affinity terms conflict.",
    ],
    [
      "ends with the postfilters' message",
      message(
        1,
        { a: cpu },
        { postFilterMessage: "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod." },
      ),
      "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ],
    ["gives no reason to nodes without one", message(2, { a: cpu }), "0/2 nodes are available: 1 Insufficient cpu."],
  ])("%s", (_title, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe("preemption chooses", () => {
  const NOW = Date.UTC(2026, 0, 1);
  const started = (second: number): PodShape => ({
    status: { startTime: new Date(NOW + second * 1000).toISOString() },
  });
  const victim = (name: string, priority: number, second = 0) =>
    podInfo(pod(name, { priority, ...started(second), labels: { app: name } }));
  const candidate = (name: string, victims: readonly ReturnType<typeof victim>[], violations = 0): Candidate => ({
    node: name,
    victims,
    violations,
  });

  test.each<[string, Candidate[], string]>([
    ["PRE-6 (1) fewest violated budgets", [candidate("a", [victim("x", 1)], 1), candidate("b", [victim("y", 9)])], "b"],
    [
      "PRE-6 (2) the lowest of the most important victims",
      [candidate("a", [victim("x", 5)]), candidate("b", [victim("y", 3), victim("z", 3)])],
      "b",
    ],
    [
      "PRE-6 (3) the lowest sum of priorities",
      [candidate("a", [victim("x", 5), victim("y", 4)]), candidate("b", [victim("z", 5), victim("w", 1)])],
      "b",
    ],
    [
      "PRE-6 (3) more victims of negative priority do not cost less",
      [candidate("a", [victim("x", -5), victim("y", -5)]), candidate("b", [victim("z", -5)])],
      "b",
    ],
    [
      "PRE-6 (4) superseded: before the first node, the latest start of the most important victims",
      [candidate("a", [victim("x", 5, 10)]), candidate("b", [victim("y", 5, 20)])],
      "b",
    ],
    ["PRE-6 (5) the first", [candidate("a", [victim("x", 5)]), candidate("b", [victim("y", 5)])], "a"],
    ["one candidate is the one", [candidate("a", [victim("x", 5)], 9)], "a"],
  ])("%s", (_title, candidates, expected) => {
    expect(cheapest(candidates, NOW)?.node).toBe(expected);
  });

  test("nothing without a candidate", () => {
    expect(cheapest([], NOW)).toBeUndefined();
  });

  test("between pods the one of higher priority as more important, then the one that started earlier, then those that have not started", () => {
    const pods = [
      podInfo(pod("waiting", { priority: 1 })),
      victim("late", 1, -10),
      victim("early", 1, -20),
      victim("high", 2, 0),
    ];
    expect(pods.sort(byImportance(NOW)).map(({ name }) => name)).toEqual(["high", "early", "late", "waiting"]);
  });

  const budget = (
    allowed: number,
    app: string,
    more: Partial<PodDisruptionBudget["status"]> = {},
    namespace = "default",
  ): PodDisruptionBudget =>
    ({
      metadata: { name: "b", namespace },
      spec: { selector: { matchLabels: { app } } },
      status: { disruptionsAllowed: allowed, ...more },
    }) as PodDisruptionBudget;
  test.each<[string, PodDisruptionBudget[], string[]]>([
    ["without budgets none", [], []],
    ["a budget that allows none protects its pods", [budget(0, "a")], ["a"]],
    ["a budget that allows one lets one go", [budget(1, "a")], []],
    ["a budget of other pods does not matter", [budget(0, "z")], []],
    ["a budget of another namespace does not", [budget(0, "a", {}, "other")], []],
    [
      "a pod whose disruption was approved does not violate it again",
      [budget(0, "a", { disruptedPods: { a: "" } })],
      [],
    ],
    ["a budget with an empty selector matches nothing", [{ ...budget(0, "a"), spec: { selector: {} } }], []],
  ])("with regard to budgets: %s", (_title, budgets, expected) => {
    const { violating } = byBudget([victim("a", 1), victim("b", 1)], budgets);
    expect(violating.map(({ name }) => name)).toEqual(expected);
  });

  test.each([
    [50, 50],
    [100, 100],
    [500, 100],
    [2000, 200],
  ])("among %i nodes, looking for victims on %i", (nodes, expected) => {
    expect(candidateCount(nodes, 10, 100)).toBe(expected);
  });
});

describe("the scheduler classifies a change of an object", () => {
  const base = node("a");
  test.each<[string, Partial<ReturnType<typeof node>>, number[]]>([
    ["nothing for a heartbeat", {}, []],
    ["allocatable", { status: { allocatable: { cpu: "9" } } }, [Action.nodeAllocatable]],
    ["labels", { metadata: { name: "a", uid: "a", labels: { x: "" } } }, [Action.nodeLabel]],
    ["a taint", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }, [Action.nodeTaint]],
    ["cordoning is a taint", { spec: { unschedulable: true } }, [Action.nodeTaint]],
    [
      "a condition",
      { status: { ...base.status, conditions: [{ type: "Ready", status: "False" }] } },
      [Action.nodeCondition],
    ],
  ])("of a node: %s", (_title, change, expected) => {
    expect(nodeChanges(base, { ...base, ...change }).map(({ action }) => action)).toEqual(expected);
  });

  test.each<[string, PodShape, PodShape, number[]]>([
    ["labels", {}, { labels: { a: "" } }, [Action.podLabel]],
    ["a toleration", {}, { tolerations: [{ operator: "Exists" }] }, [Action.podToleration]],
    ["the last gate", { schedulingGates: [{ name: "a" }] }, {}, [Action.podGatesEliminated]],
    [
      "one of two gates",
      { schedulingGates: [{ name: "a" }, { name: "b" }] },
      { schedulingGates: [{ name: "a" }] },
      [Action.other],
    ],
    ["fewer resources", { requests: { cpu: "2" } }, { requests: { cpu: "1" } }, [Action.podScaleDown]],
    ["more resources", { requests: { cpu: "1" } }, { requests: { cpu: "2" } }, [Action.other]],
  ])("of a pod: %s", (_title, before, after, expected) => {
    const [old, young] = [pod("p", before), pod("p", after)];
    const changed = { ...young, metadata: { ...young.metadata, generation: expected.length } };
    expect(podChanges(old, changed).map(({ action }) => action)).toEqual(expected);
  });

  test("of a waiting pod as no event when only its status changed", () => {
    const rejected = pod("p", { status: { conditions: [{ type: "PodScheduled", status: "False" }] } });
    expect(podChanges(pod("p"), rejected)).toEqual([]);
  });
});

describe("what the scheduler writes to a pod's status", () => {
  const NOW = Date.UTC(2026, 0, 2);
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1" } as const;
  const known = (more: object = {}): PodShape => ({
    status: { conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z", ...more }] },
  });
  test.each<[string, PodShape, Parameters<typeof statusPatch>[1], unknown]>([
    [
      "the condition with its time",
      {},
      { condition },
      { conditions: [{ ...condition, lastProbeTime: null, lastTransitionTime: "2026-01-02T00:00:00Z" }] },
    ],
    ["nothing that is there already", known(), { condition }, undefined],
    [
      "another message at the time of the old status",
      known({ message: "0/2" }),
      { condition },
      { conditions: [{ ...condition, lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" }] },
    ],
    ["a nomination", known(), { condition, nominatedNode: "a" }, { nominatedNodeName: "a" }],
    [
      "the end of a nomination",
      { status: { nominatedNodeName: "a" } },
      { nominatedNode: "" },
      { nominatedNodeName: null },
    ],
    ["no end of none", {}, { nominatedNode: "" }, undefined],
    ["no word of a nomination that stays", { status: { nominatedNodeName: "a" } }, {}, undefined],
  ])("%s", (_title, shape, report, expected) => {
    expect(statusPatch(pod("p", shape) as Pod, report, NOW)).toEqual(expected);
  });
});

describe("invalid options of the scheduler are refused:", () => {
  const create = (options: SchedulerOptions) =>
    createProfiles(options, () => ({ client: {}, signal: new AbortController().signal }) as SchedulerHandle);
  test.each<[string, SchedulerOptions, RegExp]>([
    ["two profiles of one name", { profiles: [{}, {}] }, /two profiles have the scheduler name "default-scheduler"/],
    [
      "a plugin that there is none of",
      { profiles: [{ plugins: { disabled: ["NodeNam"] } }] },
      /there is no plugin "NodeNam"; there are SchedulingGates, /,
    ],
    ["the configuration of such a plugin", { profiles: [{ pluginConfig: { Nope: {} } }] }, /there is no plugin "Nope"/],
    [
      "no plugin that orders the queue",
      { profiles: [{ plugins: { disabled: ["PrioritySort"] } }] },
      /exactly one plugin must order the queue, there is none/,
    ],
    ["no plugin that binds", { profiles: [{ plugins: { disabled: ["DefaultBinder"] } }] }, /no plugin binds pods/],
    [
      "a percentage above 100",
      { percentageOfNodesToScore: 101 },
      /percentageOfNodesToScore is 101; it must be from 0 to 100/,
    ],
    [
      "a plugin under another name",
      { plugins: { Mine: () => ({ name: "Yours" }) } },
      /registered as "Mine" calls itself "Yours"/,
    ],
  ])("%s", (_title, options, expected) => {
    expect(() => create(options)).toThrow(expected);
  });
});
