import { describe, expect, test } from "vitest";
import { formatFieldError } from "../../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../../src/server/registry/strategy.js";
import { serverTraits, v36, v37 } from "../../../helpers/server-traits.js";

const GATES = ["CompositePodGroup", "TopologyAwareWorkloadScheduling", "PodGroupPreemptionPolicy"];
const gated = await serverTraits("1.37", Object.fromEntries(GATES.map((name) => [name, true])));

const strategyOf = (resource: string) => builtinRecord("scheduling.k8s.io", resource)?.strategy;

function create(resource: string, spec: object, traits = v37): readonly string[] {
  const object = { metadata: { name: "x" }, spec } as unknown as KubeObject;
  return (strategyOf(resource)?.validate?.(object, traits as StrategyContext) ?? []).map(formatFieldError);
}

function update(resource: string, spec: object, old: object, traits = v37): readonly string[] {
  const [object, before] = [spec, old].map((one) => ({ metadata: { name: "x" }, spec: one }) as unknown as KubeObject);
  const strategy = strategyOf(resource);
  if (object === undefined || before === undefined) return [];
  return (strategy?.validateUpdate?.(object, before, traits as StrategyContext) ?? []).map(formatFieldError);
}

const gang = (minCount: number) => ({ gang: { minCount } });
const group = (fields: object = {}) => ({ schedulingPolicy: gang(2), disruptionMode: { single: {} }, ...fields });
const workload = (...names: readonly string[]) => ({
  podGroupTemplates: names.map((name) => ({ name, schedulingPolicy: { basic: {} } })),
});

describe("K37-063: validation of a PodGroup", () => {
  test.each<readonly [string, object, string]>([
    [
      "without a policy",
      { schedulingPolicy: {} },
      'spec.schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`',
    ],
    [
      "with a gang of none",
      group({ schedulingPolicy: gang(0) }),
      "spec.schedulingPolicy.gang.minCount: Required value",
    ],
    [
      "of a workload without a template",
      group({ workloadRef: { workloadName: "w" } }),
      "spec.workloadRef.templateName: Required value",
    ],
    [
      "with too high a priority",
      group({ priority: 1_000_000_001 }),
      "spec.priority: Invalid value: 1000000001: must be less than or equal to 1000000000",
    ],
    ["with a gated field", group({ preemptionPolicy: "Never" }), "spec.preemptionPolicy: Forbidden"],
  ])("returns kube-apiserver's errors for one %s", (_title, spec, expected) => {
    expect(create("podgroups", spec)).toEqual([expected]);
  });

  test("accepts valid fields, and fields behind feature gates while their gates are on", () => {
    expect(create("podgroups", group({ workloadRef: { workloadName: "w", templateName: "t" } }))).toEqual([]);
    const fields = { preemptionPolicy: "Never", schedulingConstraints: { topology: [{ key: "example.com/rack" }] } };
    expect(create("podgroups", group(fields), gated)).toEqual([]);
    expect(create("podgroups", group({ preemptionPolicy: "Sometimes" }), gated)).toEqual([
      'spec.preemptionPolicy: Unsupported value: "Sometimes": supported values: "Never", "PreemptLowerPriority"',
    ]);
  });

  test("accepts a changed minimum count of a gang and no other change", () => {
    expect(update("podgroups", group({ schedulingPolicy: gang(3) }), group())).toEqual([]);
    expect(update("podgroups", group({ schedulingPolicy: { basic: {} } }), group())).toEqual([
      "spec.schedulingPolicy.basic: Invalid value: null: field is immutable",
      "spec.schedulingPolicy.gang: Invalid value: null: field cannot be cleared once set",
    ]);
    expect(update("podgroups", group({ priority: 1 }), group())).toEqual([
      "spec.priority: Invalid value: null: field is immutable",
    ]);
  });

  test("accepts statuses only of the claims that the spec names", () => {
    const object = (name: string) =>
      ({
        metadata: { name: "x" },
        spec: group({ resourceClaims: [{ name: "a", resourceClaimName: "c" }] }),
        status: { resourceClaimStatuses: [{ name }] },
      }) as unknown as KubeObject;
    const strategy = strategyOf("podgroups");
    const told = (name: string) =>
      strategy?.validateStatusUpdate?.(object(name), object("a"), v37 as StrategyContext).map(formatFieldError);
    expect(told("a")).toEqual([]);
    expect(told("b")).toEqual([
      'status.resourceClaimStatuses[0].name: Invalid value: "b": must match the name of an entry in `spec.resourceClaims`',
    ]);
  });
});

describe("K37-063: validation of a Workload", () => {
  test.each<readonly [string, object, string]>([
    [
      "without templates",
      {},
      'spec: Invalid value: "": must specify one of: `podGroupTemplates`, `compositePodGroupTemplates`',
    ],
    [
      "with too many",
      workload(..."a b c d e f g h i".split(" ")),
      "spec.podGroupTemplates: Too many: 9: must have at most 8 items",
    ],
    [
      "with composite templates",
      { compositePodGroupTemplates: [{ name: "a" }] },
      "spec.compositePodGroupTemplates: Forbidden",
    ],
    [
      "of several priorities",
      {
        podGroupTemplates: [
          { name: "a", schedulingPolicy: { basic: {} }, priority: 1 },
          ...workload("b").podGroupTemplates,
        ],
      },
      "spec: Invalid value: null: detected multiple priority configurations",
    ],
    [
      "of a controller without a kind",
      { ...workload("a"), controllerRef: { name: "c" } },
      "spec.controllerRef.kind: Required value",
    ],
  ])("returns kube-apiserver's errors for one %s", (_title, spec, expected) => {
    expect(create("workloads", spec)).toEqual([expected]);
  });

  test("refuses changed pod group templates", () => {
    expect(update("workloads", workload("a", "c"), workload("a", "b"))).toEqual([
      "spec.podGroupTemplates[1]: Forbidden: item may not be added",
      "spec.podGroupTemplates: Forbidden: item may not be removed",
    ]);
  });

  test("accepts a tree of templates with unique names up to a maximal depth", () => {
    const inner = (depth: number, name: string): object => ({
      name: `${name}${depth}`,
      schedulingPolicy: { basic: {} },
      ...(depth > 1 && { compositePodGroupTemplates: [inner(depth - 1, name)] }),
    });
    const tree = (...templates: readonly object[]) => ({ compositePodGroupTemplates: templates });
    expect(create("workloads", tree(inner(3, "a"), inner(3, "b")), gated)).toEqual([]);
    expect(create("workloads", tree(inner(4, "a")), gated)[0]).toContain("maximum template hierarchy depth is 4");
    expect(create("workloads", tree(inner(2, "a"), { ...inner(1, "x"), name: "a1" }), gated)).toEqual([
      'spec.compositePodGroupTemplates[1].name: Duplicate value: "a1"',
    ]);
  });
});

test("K37-063: a CompositePodGroup requires a workload, and its scheduling policy may not change", () => {
  const composite = (fields: object = {}) => ({
    workloadRef: { workloadName: "w", templateName: "t" },
    schedulingPolicy: { gang: { minGroupCount: 1 } },
    ...fields,
  });
  expect(create("compositepodgroups", composite())).toEqual([]);
  expect(create("compositepodgroups", composite({ workloadRef: undefined }))).toEqual([
    "spec.workloadRef: Required value",
  ]);
  const changed = composite({ schedulingPolicy: { gang: { minGroupCount: 2 } } });
  expect(update("compositepodgroups", changed, composite())).toEqual([
    "spec.schedulingPolicy: Invalid value: null: field is immutable",
  ]);
});

test("K37-063: Kubernetes 1.36 validates its version of these kinds without the rules of 1.37", () => {
  expect(create("podgroups", {}, v36)).toEqual([]);
  expect(create("workloads", {}, v36)).toEqual([]);
});
