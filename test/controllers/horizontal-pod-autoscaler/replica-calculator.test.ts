import { describe, expect, test } from "vitest";
import {
  type Measured,
  replicasForAverage,
  replicasForShare,
  replicasForUtilization,
  replicasForValue,
} from "../../../src/controllers/horizontal-pod-autoscaler/replica-calculator.js";
import { type MeteredPod, metricsOf, NOW, podOf, times, titled } from "./metered-pods.js";

const TOLERANCES = { scaleUp: 0.1, scaleDown: 0.1 };

function measured(pods: readonly MeteredPod[], more: Partial<Measured> = {}): Measured {
  const known = { replicas: pods.length, pods: pods.map(podOf), metrics: metricsOf(pods), tolerances: TOLERANCES };
  return { ...known, resource: "cpu", now: NOW, ...more };
}

const uses = (...all: readonly number[]): readonly MeteredPod[] => all.map((one) => ({ uses: one }));

describe("the replicas that an autoscaler computes from the use of requests", () => {
  test.each(
    titled<[readonly MeteredPod[], target: number, replicas: number, percentage: number, Partial<Measured>?]>([
      ["usage above the target scales up", uses(300, 500, 700), 30, 5, 50],
      ["usage below the target scales down", uses(100, 300, 500, 250, 250), 50, 3, 28],
      ["usage at the target keeps the scale", uses(500, 500), 50, 2, 50],
      ["usage within the upper tolerance keeps the scale", uses(550, 550), 50, 2, 55],
      ["usage above the upper tolerance scales up", uses(560, 560), 50, 3, 56],
      ["usage within the lower tolerance keeps the scale", uses(450, 450), 50, 2, 45],
      ["usage below the lower tolerance scales down", uses(200, 200), 50, 1, 20],
      [
        "a tolerance of 0 follows every change up",
        uses(510, 510),
        50,
        3,
        51,
        { tolerances: { scaleUp: 0, scaleDown: 0.1 } },
      ],
      [
        "a tolerance of 0.5 keeps the scale",
        uses(700, 700),
        50,
        2,
        70,
        { tolerances: { scaleUp: 0.5, scaleDown: 0.1 } },
      ],
      [
        "the tolerances of the two directions differ",
        uses(400, 400, 400, 400),
        50,
        4,
        40,
        { tolerances: { scaleUp: 0, scaleDown: 0.2 } },
      ],
      ["the percentage is rounded down", uses(559, 559), 50, 2, 55],
      [
        "a pod that is not ready counts as using nothing on the way up",
        [...uses(900, 900), { uses: 900, ready: "False", age: 10 }],
        30,
        6,
        90,
      ],
      [
        "a pod that is not ready keeps no scale from going down",
        [...uses(100, 100, 100), { uses: 900, ready: "False", age: 10 }],
        50,
        1,
        10,
      ],
      ["a pending pod counts as using nothing on the way up", [...uses(900), { phase: "Pending" }], 45, 2, 90],
      ["a pod that is not measured counts as using nothing on the way up", [...uses(900, 900), {}], 50, 4, 90],
      [
        "pods that are not measured hold the scale where they could turn the direction",
        [...uses(600), {}, {}],
        50,
        3,
        60,
      ],
      [
        "a pod that is not measured counts as using its request on the way down",
        [...uses(100, 100, 100), {}],
        80,
        2,
        10,
      ],
      ["pods that are not measured hold a scale that would go down", [...uses(400), {}], 50, 2, 40],
      ["above 100 % a pod that is not measured counts as using the target", [...uses(1000), {}], 200, 2, 100],
      ["a failed pod does not count", [...uses(900), { uses: 900, phase: "Failed" }], 30, 3, 90],
      ["a pod that is being deleted does not count", [...uses(900), { uses: 900, deleted: true }], 30, 3, 90],
      ["more pods than replicas never scale the wrong way", [...uses(100, 100), {}, {}], 80, 2, 10, { replicas: 2 }],
      [
        "a sample that began before the pod was ready does not count",
        [...uses(100), { uses: 900, age: 60, changed: 50 }],
        50,
        1,
        10,
      ],
      [
        "a sample that began when the pod was ready counts",
        [...uses(100), { uses: 900, age: 60, changed: 5 }],
        50,
        2,
        50,
      ],
      [
        "an old pod that was never ready does not count",
        [...uses(100), { uses: 900, ready: "False", changed: 20 }],
        50,
        1,
        10,
      ],
      [
        "an old pod that was ready counts, though it is not now",
        [...uses(100), { uses: 900, ready: "False", changed: 500 }],
        50,
        2,
        50,
      ],
      ["a pod without a condition does not count", [...uses(100), { uses: 900, ready: "unknown" }], 50, 1, 10],
    ]),
  )("in percent: %s", (_title, [pods, target, replicas, percentage, more = {}]) => {
    expect(replicasForUtilization(measured(pods, more), target, "")).toMatchObject({ replicas, percentage });
  });

  test("count the memory of pods that are not ready", () => {
    const pods = [...uses(100), { uses: 900, ready: "False", age: 10 } as const];
    const memory = measured(pods, { resource: "memory" });
    const named = memory.pods.map((pod) => ({
      ...pod,
      spec: { containers: [{ name: "app", image: "i", resources: { requests: { memory: "1" } } }] },
    }));
    expect(replicasForUtilization({ ...memory, pods: named }, 25, "").replicas).toBe(4);
  });

  test.each<readonly [string, readonly MeteredPod[], container: string, message: string]>([
    ["no pods", [], "", "no pods returned by selector while calculating replica count"],
    [
      "pods that are all pending",
      [{ phase: "Pending", uses: 5 }],
      "",
      "did not receive metrics for targeted pods (pods might be unready)",
    ],
    [
      "pods that are all deleted",
      [{ deleted: true, uses: 5 }],
      "",
      "did not receive metrics for targeted pods (pods might be unready)",
    ],
    [
      "a pod without a request",
      [{ uses: 5, requests: "none" }],
      "",
      "missing request for cpu in container app of Pod pod-0",
    ],
    ["a pod without the container", [{ uses: 5 }], "proxy", "container proxy not found in Pod pod-0"],
    ["pods that request nothing", [{ uses: 5, requests: 0 }], "", "no metrics returned matched known pods"],
  ])("cannot be computed for %s", (_title, pods, container, message) => {
    expect(() => replicasForUtilization(measured(pods), 50, container)).toThrow(message);
  });

  test("count requests of sidecars but not of init containers, and those of the whole pod first", () => {
    const [pod] = measured(uses(500)).pods;
    const resources = { requests: { cpu: "500m" } };
    const initContainers = [
      { name: "sidecar", image: "i", restartPolicy: "Always" as const, resources },
      { name: "init", image: "i" },
    ];
    const spec = { containers: [{ name: "app", image: "i", resources }], initContainers };
    const utilization = (one: object) =>
      replicasForUtilization({ ...measured(uses(500)), pods: [{ ...pod, spec: one as typeof spec }] }, 50, "");
    expect(utilization(spec).percentage).toBe(50);
    expect(utilization({ ...spec, resources: { requests: { cpu: "2" } } }).percentage).toBe(25);
    expect(() => utilization({ ...spec, resources: { requests: { memory: "2" } } })).toThrow(
      "missing pod-level request for cpu in Pod pod-0",
    );
  });
});

describe("the replicas that an autoscaler computes from an average value per pod:", () => {
  test.each<readonly [string, readonly MeteredPod[], target: number, replicas: number, usage: number]>([
    ["above the target scales up", uses(20_000, 10_000, 30_000), 15_000, 4, 20_000],
    ["below the target scales down", times(5, { uses: 4000 }), 10_000, 2, 4000],
    ["within the tolerance keeps the scale", uses(10_500, 10_500), 10_000, 2, 10_500],
    ["is rounded down", uses(10, 11), 10, 2, 10],
    ["of a pod that is not measured counts as the target on the way down", [...uses(2000, 2000), {}], 10_000, 2, 2000],
    ["of a pod that is not measured counts as 0 on the way up", [...uses(20_000), {}, {}], 10_000, 3, 20_000],
    ["of a pending pod counts as 0 on the way up", [...uses(40_000), { phase: "Pending" }], 10_000, 4, 40_000],
  ])("%s", (_title, pods, target, replicas, usage) => {
    expect(replicasForAverage(measured(pods, { resource: "" }), target)).toEqual({ replicas, usage });
  });
});

describe("the replicas that an autoscaler computes from an object or external metric:", () => {
  const of = (replicas: number, pods: readonly MeteredPod[], value: number, target: number) =>
    replicasForValue(measured(pods, { replicas }), value, target);

  test.each<readonly [string, replicas: number, readonly MeteredPod[], value: number, target: number, wanted: number]>([
    ["above the target scales up", 3, times(3, {}), 20_000, 15_000, 4],
    ["below the target scales down", 5, times(5, {}), 10_000, 20_000, 3],
    ["within the tolerance keeps the scale", 3, times(3, {}), 21_000, 20_000, 3],
    ["multiplies the pods that are ready", 3, [{}, {}, { ready: "False" }], 30_000, 15_000, 4],
    ["does not count pending pods", 3, [{}, { phase: "Pending" }], 45_000, 15_000, 3],
    ["of a scale of 0 is a number of replicas", 0, [], 25_000, 10_000, 3],
    ["of 0 keeps a scale of 0", 0, [], 0, 10_000, 0],
    ["is limited by what a scale can hold", 2, times(2, {}), 9e15, 1, 2_147_483_647],
  ])("%s", (_title, replicas, pods, value, target, wanted) => {
    expect(of(replicas, pods, value, target)).toBe(wanted);
  });

  test("an error without pods", () => {
    expect(() => of(2, [], 10, 1)).toThrow(
      "unable to calculate ready pods: no pods returned by selector while calculating replica count",
    );
  });

  test.each([
    ["above the share scales up", 3, 20_000, 5000, 4, 6667],
    ["below the share scales down", 5, 8000, 4000, 2, 1600],
    ["within the tolerance keeps the scale", 4, 20_500, 5000, 4, 5125],
    ["of a scale without pods is a number of replicas", 0, 9000, 3000, 3, 9000],
  ])("by the value per pod, it %s", (_title, replicas, value, target, wanted, usage) => {
    expect(replicasForShare(replicas, TOLERANCES, value, target)).toEqual({ replicas: wanted, usage });
  });
});
