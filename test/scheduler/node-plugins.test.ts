import { describe, expect, test } from "vitest";
import type { Node, Pod, Taint, Toleration } from "../../src/api/types/core/v1.js";
import { nodeAffinity } from "../../src/scheduler/plugins/node-affinity.js";
import { nodeName, nodePorts, nodeUnschedulable } from "../../src/scheduler/plugins/node-filters.js";
import { taintToleration } from "../../src/scheduler/plugins/taint-toleration.js";
import { tolerates } from "../../src/api/scheduling/taints.js";
import { cacheOf, node, placed, pod, type PodShape, scored } from "./cluster-state.js";

const NO_MATCH = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";

describe("the scheduler plugin NodeName", () => {
  test.each([
    ["a pod without a node name fits", undefined, "a"],
    ["a pod fits the node that it names", "a", "a"],
    ["a pod fits no other node", "b", "0/1 nodes are available: 1 node(s) didn't match the requested node name."],
  ])("%s", (_title, named, expected) => {
    const shape = named === undefined ? {} : { nodeName: named };
    expect(placed([nodeName()], cacheOf([node("a")]), pod("p", shape))).toBe(expected);
  });
});

describe("the scheduler plugin NodeUnschedulable", () => {
  const REJECTED = "0/1 nodes are available: 1 node(s) were unschedulable.";
  test.each<[string, boolean, Toleration[], string]>([
    ["a node that is not cordoned fits", false, [], "a"],
    ["a cordoned node does not fit", true, [], REJECTED],
    [
      "a pod that tolerates the taint of cordoned nodes fits",
      true,
      [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }],
      "a",
    ],
    ["a pod that tolerates everything fits", true, [{ operator: "Exists" }], "a"],
    ["a toleration of another effect does not help", true, [{ operator: "Exists", effect: "NoExecute" }], REJECTED],
  ])("%s", (_title, unschedulable, tolerations, expected) => {
    expect(placed([nodeUnschedulable()], cacheOf([node("a", { unschedulable })]), pod("p", { tolerations }))).toBe(
      expected,
    );
  });
});

describe("a toleration that the scheduler checks", () => {
  const taint: Taint = { key: "gpu", value: "a100", effect: "NoSchedule" };
  test.each<[string, Toleration, boolean]>([
    [
      "with the key, value and effect tolerates the taint",
      { key: "gpu", operator: "Equal", value: "a100", effect: "NoSchedule" },
      true,
    ],
    ["without an operator compares the value", { key: "gpu", value: "a100" }, true],
    ["with another value does not", { key: "gpu", value: "t4" }, false],
    ["with another key does not", { key: "disk", value: "a100" }, false],
    ["with another effect does not", { key: "gpu", value: "a100", effect: "NoExecute" }, false],
    ["without an effect tolerates every effect", { key: "gpu", operator: "Exists" }, true],
    ["with Exists looks at no value", { key: "gpu", operator: "Exists", effect: "NoSchedule" }, true],
    ["without a key tolerates every key", { operator: "Exists" }, true],
    ["without key and operator compares the value alone", { value: "t4" }, false],
  ])("%s", (_title, toleration, expected) => {
    expect(tolerates(toleration, taint)).toBe(expected);
  });
});

describe("the scheduler plugin TaintToleration", () => {
  const taints = (...effects: Taint["effect"][]): Taint[] =>
    effects.map((effect, index) => ({ key: `k${index}`, effect }));
  const REJECTED = "0/1 nodes are available: 1 node(s) had untolerated taint(s).";
  test.each<[string, Taint[], Toleration[], string]>([
    ["a node without taints fits", [], [], "a"],
    ["NoSchedule keeps the pod away", taints("NoSchedule"), [], REJECTED],
    ["NoExecute keeps the pod away", taints("NoExecute"), [], REJECTED],
    ["PreferNoSchedule does not", taints("PreferNoSchedule"), [], "a"],
    [
      "every taint must be tolerated",
      taints("NoSchedule", "NoSchedule"),
      [{ key: "k0", operator: "Exists" }],
      REJECTED,
    ],
    ["a tolerated taint does not matter", taints("NoSchedule"), [{ key: "k0", operator: "Exists" }], "a"],
  ])("%s", (_title, given, tolerations, expected) => {
    expect(placed([taintToleration()], cacheOf([node("a", { taints: given })]), pod("p", { tolerations }))).toBe(
      expected,
    );
  });

  test.each<[string, Toleration[], Record<string, number>]>([
    ["nodes with fewer untolerated PreferNoSchedule taints score higher", [], { a: 100, b: 50, c: 0 }],
    [
      "tolerated ones do not count",
      [{ key: "k0", operator: "Exists", effect: "PreferNoSchedule" }],
      { a: 100, b: 100, c: 0 },
    ],
    [
      "tolerations of other effects do not count",
      [{ key: "k0", operator: "Exists", effect: "NoSchedule" }],
      { a: 100, b: 50, c: 0 },
    ],
  ])("%s", (_title, tolerations, expected) => {
    const cache = cacheOf([
      node("a"),
      node("b", { taints: taints("PreferNoSchedule") }),
      node("c", { taints: taints("PreferNoSchedule", "PreferNoSchedule") }),
    ]);
    expect(scored(taintToleration(), cache, pod("p", { tolerations }))).toEqual(expected);
  });
});

describe("the scheduler plugin NodeAffinity", () => {
  type Expression = {
    key: string;
    operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
    values?: string[];
  };
  const requires = (...terms: Expression[][]): PodShape => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })),
        },
      },
    },
  });
  const named = (...names: string[]): PodShape => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: names.map((name) => ({
            matchFields: [{ key: "metadata.name", operator: "In", values: [name] }],
          })),
        },
      },
    },
  });
  const cache = cacheOf([node("a", { labels: { disk: "ssd", cpus: "8" } })]);
  test.each<[string, PodShape, string]>([
    ["a pod without requirements fits", {}, "a"],
    ["a nodeSelector that matches fits", { nodeSelector: { disk: "ssd" } }, "a"],
    ["a nodeSelector with another value does not", { nodeSelector: { disk: "hdd" } }, NO_MATCH],
    ["a nodeSelector with one wrong pair does not", { nodeSelector: { disk: "ssd", zone: "a" } }, NO_MATCH],
    ["AFF-6 In with the value fits", requires([{ key: "disk", operator: "In", values: ["hdd", "ssd"] }]), "a"],
    ["AFF-6 In without the value does not", requires([{ key: "disk", operator: "In", values: ["hdd"] }]), NO_MATCH],
    [
      "AFF-6 NotIn with the value does not fit",
      requires([{ key: "disk", operator: "NotIn", values: ["ssd"] }]),
      NO_MATCH,
    ],
    ["AFF-6 NotIn of an absent label fits", requires([{ key: "zone", operator: "NotIn", values: ["a"] }]), "a"],
    ["AFF-6 Exists of a label fits", requires([{ key: "disk", operator: "Exists" }]), "a"],
    ["AFF-6 Exists of an absent label does not", requires([{ key: "zone", operator: "Exists" }]), NO_MATCH],
    ["AFF-6 DoesNotExist of an absent label fits", requires([{ key: "zone", operator: "DoesNotExist" }]), "a"],
    ["AFF-6 DoesNotExist of a label does not", requires([{ key: "disk", operator: "DoesNotExist" }]), NO_MATCH],
    ["AFF-6 Gt of a larger number fits", requires([{ key: "cpus", operator: "Gt", values: ["7"] }]), "a"],
    ["AFF-6 Gt of the same number does not", requires([{ key: "cpus", operator: "Gt", values: ["8"] }]), NO_MATCH],
    ["AFF-6 Lt of a smaller number fits", requires([{ key: "cpus", operator: "Lt", values: ["9"] }]), "a"],
    [
      "AFF-6 Gt of a label that is no number does not fit",
      requires([{ key: "disk", operator: "Gt", values: ["1"] }]),
      NO_MATCH,
    ],
    [
      "one of several terms is enough",
      requires([{ key: "zone", operator: "Exists" }], [{ key: "disk", operator: "Exists" }]),
      "a",
    ],
    [
      "all expressions of a term are needed",
      requires([
        { key: "zone", operator: "Exists" },
        { key: "disk", operator: "Exists" },
      ]),
      NO_MATCH,
    ],
    ["an empty term fits no node", requires([]), NO_MATCH],
    ["no term fits no node", requires(), NO_MATCH],
    [
      "nodeSelector and affinity must both match",
      { ...requires([{ key: "disk", operator: "Exists" }]), nodeSelector: { disk: "hdd" } },
      NO_MATCH,
    ],
    ["a term may name the node", named("a"), "a"],
    ["terms may name several nodes", named("b", "a"), "a"],
    [
      "a pod that names nodes that do not exist says which plugin left the others out",
      named("b"),
      "0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    ],
  ])("%s", (_title, shape, expected) => {
    expect(placed([nodeAffinity()], cache, pod("p", shape))).toBe(expected);
  });

  test("AFF-2 adds the weights of matching preferred terms, and scales the highest sum to 100", () => {
    const prefer = (weight: number, key: string) => ({
      weight,
      preference: { matchExpressions: [{ key, operator: "Exists" as const }] },
    });
    const nodes = [node("a", { labels: { ssd: "", gpu: "" } }), node("b", { labels: { ssd: "" } }), node("c")];
    const shape: PodShape = {
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [prefer(10, "ssd"), prefer(30, "gpu")] },
      },
    };
    expect(scored(nodeAffinity(), cacheOf(nodes), pod("p", shape))).toEqual({ a: 100, b: 25, c: 0 });
  });

  test("requires the affinity that the profile adds of every pod", () => {
    const added = nodeAffinity({
      addedAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "Exists" }] }],
        },
      },
    });
    expect(placed([added], cache, pod("p"))).toBe(
      "0/1 nodes are available: 1 node(s) didn't match scheduler-enforced node affinity.",
    );
  });
});

describe("the scheduler plugin NodePorts", () => {
  const TAKEN = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
  type Port = { hostPort?: number; hostIP?: string; protocol?: "TCP" | "UDP" };
  const withPorts = (name: string, ports: readonly Port[], shape: PodShape = {}): Pod =>
    pod(name, { containers: [{ ports: ports.map((port) => ({ containerPort: 80, ...port })) }], ...shape });
  test.each<[string, Port[], Port[], string]>([
    ["a pod without host ports fits", [{ hostPort: 80 }], [{}], "a"],
    ["another port is free", [{ hostPort: 80 }], [{ hostPort: 81 }], "a"],
    ["the same port is taken", [{ hostPort: 80 }], [{ hostPort: 80 }], TAKEN],
    ["the same port of another protocol is free", [{ hostPort: 80 }], [{ hostPort: 80, protocol: "UDP" }], "a"],
    [
      "the same port of another address is free",
      [{ hostPort: 80, hostIP: "10.0.0.1" }],
      [{ hostPort: 80, hostIP: "10.0.0.2" }],
      "a",
    ],
    [
      "the same port of the same address is taken",
      [{ hostPort: 80, hostIP: "10.0.0.1" }],
      [{ hostPort: 80, hostIP: "10.0.0.1" }],
      TAKEN,
    ],
    ["a port of every address takes that of each", [{ hostPort: 80 }], [{ hostPort: 80, hostIP: "10.0.0.1" }], TAKEN],
    [
      "a port of one address takes that of every address",
      [{ hostPort: 80, hostIP: "10.0.0.1" }],
      [{ hostPort: 80 }],
      TAKEN,
    ],
    ["0.0.0.0 is every address", [{ hostPort: 80, hostIP: "0.0.0.0" }], [{ hostPort: 80 }], TAKEN],
    ["one taken port of two is enough", [{ hostPort: 80 }], [{ hostPort: 81 }, { hostPort: 80 }], TAKEN],
  ])("%s", (_title, taken, wanted, expected) => {
    const nodes: Node[] = [node("a")];
    const cache = cacheOf(nodes, [withPorts("old", taken, { nodeName: "a" })]);
    expect(placed([nodePorts()], cache, withPorts("new", wanted))).toBe(expected);
  });
});
