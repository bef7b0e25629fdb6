import { describe, expect, test } from "vitest";
import { matchesTerm, nodeRequirement, type SelectableNode } from "../../../src/api/scheduling/node-selector.js";
import { tolerates, untolerated } from "../../../src/api/scheduling/taints.js";
import type { NodeSelectorRequirement, Taint, Toleration } from "../../../src/api/types/core/v1.js";

const node: SelectableNode = { name: "a", labels: { zone: "x", size: "5" } };

describe("a pod's toleration", () => {
  const taint: Taint = { key: "k", value: "v", effect: "NoSchedule" };
  test.each([
    [{ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }, true],
    [{ key: "k", value: "v" }, true],
    [{ key: "k", operator: "Equal", value: "other" }, false],
    [{ key: "k", operator: "Exists" }, true],
    [{ key: "k", operator: "Exists", effect: "NoExecute" }, false],
    [{ key: "other", operator: "Exists" }, false],
    [{ operator: "Exists" }, true],
    [{ operator: "Exists", effect: "NoSchedule" }, true],
    [{ key: "k" }, false],
    [{ key: "k", operator: "", value: "v", effect: "" }, true],
  ] as const)("%j lets the pod onto a node with the taint k=v:NoSchedule: %s", (toleration, passes) => {
    expect(tolerates(toleration as Toleration, taint)).toBe(passes);
  });

  test("is only checked against taints with the requested effects", () => {
    const taints: Taint[] = [{ key: "p", effect: "PreferNoSchedule" }, taint, { key: "e", effect: "NoExecute" }];
    expect(untolerated(taints, [], ["NoExecute"])?.key).toBe("e");
    expect(untolerated(taints, [], ["NoSchedule", "NoExecute"])?.key).toBe("k");
    expect(untolerated(taints, [{ operator: "Exists" }], ["NoSchedule", "NoExecute"])).toBeUndefined();
  });
});

describe("a node selector term", () => {
  test.each([
    [{ key: "zone", operator: "In", values: ["x", "y"] }, true],
    [{ key: "zone", operator: "In", values: ["y"] }, false],
    [{ key: "none", operator: "In", values: ["x"] }, false],
    [{ key: "zone", operator: "NotIn", values: ["y"] }, true],
    [{ key: "zone", operator: "NotIn", values: ["x"] }, false],
    [{ key: "none", operator: "NotIn", values: ["x"] }, true],
    [{ key: "zone", operator: "Exists" }, true],
    [{ key: "none", operator: "Exists" }, false],
    [{ key: "none", operator: "DoesNotExist" }, true],
    [{ key: "zone", operator: "DoesNotExist" }, false],
    [{ key: "size", operator: "Gt", values: ["4"] }, true],
    [{ key: "size", operator: "Gt", values: ["5"] }, false],
    [{ key: "size", operator: "Lt", values: ["6"] }, true],
    [{ key: "zone", operator: "Lt", values: ["6"] }, false],
    [{ key: "size", operator: "Gt", values: ["x"] }, false],
  ] satisfies [NodeSelectorRequirement, boolean][])("with %j matches the node: %s", (requirement, matches) => {
    expect(matchesTerm({ matchExpressions: [requirement] }, node)).toBe(matches);
  });

  test("can match the node's name", () => {
    const named = (name: string) => ({
      matchFields: [{ key: "metadata.name", operator: "In" as const, values: [name] }],
    });
    expect(matchesTerm(named("a"), node)).toBe(true);
    expect(matchesTerm(named("b"), node)).toBe(false);
  });

  test("without requirements matches nothing", () => {
    expect(matchesTerm({}, node)).toBe(false);
  });
});

describe("whether a pod fits on a node by its selectors, taints and resources", () => {
  const required = (...zones: string[]) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: zones.map((zone) => ({
          matchExpressions: [{ key: "zone", operator: "In" as const, values: [zone] }],
        })),
      },
    },
  });
  test.each([
    ["that asks for nothing", {}, true],
    ["whose selector matches", { nodeSelector: { zone: "x" } }, true],
    ["whose selector asks for another label, too", { nodeSelector: { zone: "x", more: "1" } }, false],
    ["one of whose terms matches", { affinity: required("y", "x") }, true],
    ["none of whose terms matches", { affinity: required("y") }, false],
    ["that has no terms", { affinity: required() }, false],
    ["whose selector and affinity differ", { nodeSelector: { zone: "x" }, affinity: required("y") }, false],
  ])("a pod %s: %s", (_, spec, fits) => {
    expect(nodeRequirement(spec)?.matches(node) ?? true).toBe(fits);
  });
});
