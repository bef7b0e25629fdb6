import { expect, test } from "vitest";
import { serverGates } from "../../../src/api/gates/feature-gates.js";
import type { HorizontalPodAutoscaler } from "../../../src/api/types/autoscaling/v2.js";
import type { Pod } from "../../../src/api/types/core/v1.js";
import {
  AutoscalerReconciler,
  type AutoscalerParts,
} from "../../../src/controllers/horizontal-pod-autoscaler/autoscaler-reconciler.js";

const EXTERNAL = {
  type: "External" as const,
  external: { metric: { name: "jobs" }, target: { type: "AverageValue" as const, averageValue: "10" } },
};
const CPU = {
  type: "Resource" as const,
  resource: { name: "cpu", target: { type: "Utilization" as const, averageUtilization: 50 } },
};

interface Steps {
  readonly version: string;
  readonly min: number;
  readonly metrics?: HorizontalPodAutoscaler["spec"]["metrics"];
  /** What is waiting at each look, in jobs; a user sets the scale where a text says so: "set 0". A changed minimum is "min 2". */
  readonly looks: readonly (number | string)[];
}

const autoscalerOf = (min: number, metrics: HorizontalPodAutoscaler["spec"]["metrics"]): HorizontalPodAutoscaler => ({
  metadata: { name: "web", namespace: "default", uid: "u", resourceVersion: "1", generation: 1 },
  spec: {
    scaleTargetRef: { kind: "Deployment", name: "web" },
    minReplicas: min,
    maxReplicas: 8,
    ...(metrics && { metrics }),
    behavior: {
      scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: 4, periodSeconds: 15 }] },
      scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
    },
  },
});

/** The scale after each look at the metric, and the condition ScaledToZero. The scale begins at 1. */
async function scalesOf({ version, min, metrics = [EXTERNAL], looks }: Steps): Promise<string[]> {
  let [scale, waiting, now] = [1, 0, Date.UTC(2026, 0, 1)];
  let autoscaler = autoscalerOf(min, metrics);
  const parts = {
    autoscalers: { updateStatus: async (next: HorizontalPodAutoscaler) => (autoscaler = next) },
    podsOf: (): Pod[] => [],
    scaleOf: async () => ({
      specReplicas: scale,
      statusReplicas: scale,
      selector: "app=web",
      set: async (replicas: number) => void (scale = replicas),
    }),
    metrics: { external: async () => waiting * 1000 },
    recorder: { event: () => {} },
    gates: serverGates(version),
    now: () => now,
  };
  const reconciler = new AutoscalerReconciler(parts as unknown as AutoscalerParts);
  const seen: string[] = [];
  for (const look of looks) {
    const [word, count] = String(look).split(" ");
    if (word === "set") scale = Number(count);
    else if (word === "min") autoscaler = { ...autoscaler, spec: { ...autoscaler.spec, minReplicas: Number(count) } };
    else {
      waiting = Number(look);
      now += 15_000;
      await reconciler.reconcile(autoscaler);
      const zero = autoscaler.status?.conditions?.find(({ type }) => type === "ScaledToZero");
      seen.push(`${scale} ${zero?.status ?? "-"}`);
    }
  }
  return seen;
}

test.each<[string, Steps, readonly string[]]>([
  ["1.36 stays at zero", { version: "1.36", min: 1, looks: ["set 0", 30] }, ["0 -"]],
  [
    "1.37 scales to zero and back",
    { version: "1.37", min: 0, looks: [0, 0, 25, 15] },
    ["0 True", "0 True", "3 False", "2 False"],
  ],
  ["1.37 leaves the zero of a user", { version: "1.37", min: 0, looks: [25, "set 0", 25] }, ["3 False", "0 False"]],
  ["1.37 leaves a target that begins at zero", { version: "1.37", min: 0, looks: ["set 0", 25] }, ["0 -"]],
  [
    "1.37 goes to a minimum that is set while it is at zero",
    { version: "1.37", min: 0, looks: [0, "min 2", 5] },
    ["0 True", "2 False"],
  ],
  ["1.37 keeps its minimum", { version: "1.37", min: 1, looks: [0] }, ["1 -"]],
])("K37-038, K37-140: an autoscaler of %s", async (_title, steps, expected) => {
  expect(await scalesOf(steps)).toEqual(expected);
});

test("K37-038: an autoscaler by a pod resource does not scale its target up from zero", async () => {
  expect(await scalesOf({ version: "1.37", min: 0, metrics: [CPU], looks: ["set 0", 0] })).toEqual(["0 -"]);
});

test("K37-140: an autoscaler notices that the cache does not have its last status yet", async () => {
  const cached = autoscalerOf(1, [EXTERNAL]);
  const written = (resourceVersion: string) => ({ ...cached, metadata: { ...cached.metadata, resourceVersion } });
  const parts = {
    autoscalers: { updateStatus: async () => written("7") },
    scaleOf: async () => {
      throw new Error("none");
    },
    recorder: { event: () => {} },
    gates: serverGates("1.37"),
    now: () => 0,
  };
  const reconciler = new AutoscalerReconciler(parts as unknown as AutoscalerParts);
  expect(reconciler.isBehind(cached)).toBe(false);
  await reconciler.reconcile(cached);
  expect(reconciler.isBehind(cached)).toBe(true);
  expect(reconciler.isBehind(written("7"))).toBe(false);
  expect(reconciler.isBehind({ ...cached, metadata: { ...cached.metadata, uid: "another" } })).toBe(false);
});
