import { describe, expect, test } from "vitest";
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "../../../src/api/types/autoscaling/v2.js";
import type { ScaleHistory } from "../../../src/controllers/horizontal-pod-autoscaler/scaling-behavior.js";
import {
  decide,
  type DecisionInput,
  outOfBounds,
  withChange,
} from "../../../src/controllers/horizontal-pod-autoscaler/scaling-decision.js";
import { tolerancesOf } from "../../../src/controllers/horizontal-pod-autoscaler/replica-calculator.js";
import { NOW, titled } from "./metered-pods.js";

type Ago = readonly (readonly [replicas: number, secondsAgo: number])[];

const samples = (ago: Ago = []) => ago.map(([replicas, seconds]) => ({ replicas, at: NOW - seconds * 1000 }));
const history = (recommended?: Ago, ups?: Ago, downs?: Ago): ScaleHistory => ({
  recommendations: samples(recommended),
  ups: samples(ups),
  downs: samples(downs),
});

function decided(current: number, wanted: number, more: Partial<DecisionInput> = {}) {
  const decision = decide({
    current,
    wanted,
    metric: "cpu resource utilization (percentage of request)",
    min: 1,
    max: 100,
    behavior: undefined,
    conditions: [],
    history: history(),
    now: NOW,
    ...more,
  });
  const [able, limited] = decision.conditions;
  return { ...decision, able: able?.reason, limited: `${limited?.status} ${limited?.reason}` };
}

const within = "False DesiredWithinRange";

describe("an autoscaler without a behavior scales", () => {
  test.each(
    titled<[current: number, wanted: number, replicas: number, able: string, limited: string, Partial<DecisionInput>?]>(
      [
        ["the scale follows the metrics up", 4, 6, 6, "ReadyForNewScale", within],
        ["the scale follows the metrics down", 6, 4, 4, "ReadyForNewScale", within],
        ["it at most doubles", 10, 50, 20, "ReadyForNewScale", "True ScaleUpLimit"],
        ["a small scale may go to 4", 1, 9, 4, "ReadyForNewScale", "True ScaleUpLimit"],
        ["it ends at the maximum", 4, 9, 5, "ReadyForNewScale", "True TooManyReplicas", { max: 5 }],
        ["it ends at the minimum", 4, 1, 3, "ReadyForNewScale", "True TooFewReplicas", { min: 3 }],
        [
          "a higher recommendation of the last 5 minutes holds",
          8,
          3,
          8,
          "ScaleDownStabilized",
          within,
          { history: history([[8, 299]]) },
        ],
        [
          "a recommendation of just 5 minutes ago holds",
          8,
          3,
          8,
          "ScaleDownStabilized",
          within,
          { history: history([[8, 300]]) },
        ],
        [
          "an older recommendation does not hold",
          8,
          3,
          3,
          "ReadyForNewScale",
          within,
          { history: history([[8, 301]]) },
        ],
        [
          "the highest recent recommendation counts",
          9,
          2,
          7,
          "ScaleDownStabilized",
          within,
          {
            history: history([
              [5, 10],
              [7, 100],
              [9, 400],
            ]),
          },
        ],
        [
          "a lower recommendation does not hold the way up",
          3,
          6,
          6,
          "ReadyForNewScale",
          within,
          { history: history([[3, 10]]) },
        ],
      ],
    ),
  )("from wanted to allowed replicas: %s", (_title, [current, wanted, replicas, able, limited, more]) => {
    expect(decided(current, wanted, more)).toMatchObject({ replicas, able, limited });
  });

  test("up with the metric as reason, and down without", () => {
    expect(decided(1, 2).reason).toBe("cpu resource utilization (percentage of request) above target");
    expect(decided(2, 1).reason).toBe("All metrics below target");
    expect(decided(2, 2).reason).toBe("");
  });

  test("by recommendations of which a new one replaces the oldest", () => {
    const { recommendations } = decided(8, 3, {
      history: history([
        [9, 400],
        [8, 10],
      ]),
    }).history;
    expect(recommendations).toEqual(
      samples([
        [3, 0],
        [8, 10],
      ]),
    );
  });
});

const rules = (more: Partial<HPAScalingRules> = {}): HPAScalingRules => ({
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
  ...more,
});
const policy = (type: "Pods" | "Percent", value: number, periodSeconds = 60) => ({ type, value, periodSeconds });
const up = (scaleUp: Partial<HPAScalingRules>): HorizontalPodAutoscalerBehavior => ({
  scaleUp: rules({ stabilizationWindowSeconds: 0, ...scaleUp }),
  scaleDown: rules(),
});
const down = (scaleDown: Partial<HPAScalingRules>): HorizontalPodAutoscalerBehavior => ({
  scaleUp: rules({ stabilizationWindowSeconds: 0 }),
  scaleDown: rules({ stabilizationWindowSeconds: 0, ...scaleDown }),
});

describe("an autoscaler whose behavior has policies scales", () => {
  test.each(
    titled<
      [
        HorizontalPodAutoscalerBehavior,
        current: number,
        wanted: number,
        replicas: number,
        limited: string,
        Partial<DecisionInput>?,
      ]
    >([
      ["so many pods are added", up({ policies: [policy("Pods", 3)] }), 5, 20, 8, "True ScaleUpLimit"],
      ["so many per cent are added", up({ policies: [policy("Percent", 50)] }), 10, 90, 15, "True ScaleUpLimit"],
      ["a share of a pod is rounded up", up({ policies: [policy("Percent", 10)] }), 3, 90, 4, "True ScaleUpLimit"],
      [
        "Max takes the larger change up",
        up({ policies: [policy("Pods", 3), policy("Percent", 50)] }),
        10,
        90,
        15,
        "True ScaleUpLimit",
      ],
      [
        "Min takes the smaller change up",
        up({ selectPolicy: "Min", policies: [policy("Pods", 3), policy("Percent", 50)] }),
        10,
        90,
        13,
        "True ScaleUpLimit",
      ],
      ["Disabled adds none", up({ selectPolicy: "Disabled" }), 10, 90, 10, "True ScaleUpLimit"],
      [
        "the maximum comes before a faster policy",
        up({ policies: [policy("Pods", 50)] }),
        10,
        90,
        20,
        "True TooManyReplicas",
        { max: 20 },
      ],
      [
        "pods that were added in the period count",
        up({ policies: [policy("Pods", 6)] }),
        9,
        30,
        11,
        "True ScaleUpLimit",
        { history: history([], [[4, 30]]) },
      ],
      [
        "pods that were added before the period do not count",
        up({ policies: [policy("Pods", 6)] }),
        9,
        30,
        15,
        "True ScaleUpLimit",
        { history: history([], [[4, 61]]) },
      ],
      [
        "pods that were removed in the period may be added again",
        up({ policies: [policy("Pods", 2)] }),
        5,
        30,
        10,
        "True ScaleUpLimit",
        { history: history([], [], [[3, 30]]) },
      ],
      [
        "a period that was used up adds none and removes none",
        up({ policies: [policy("Pods", 2)] }),
        9,
        30,
        9,
        "True ScaleUpLimit",
        { history: history([], [[4, 30]]) },
      ],
      ["so many pods are removed", down({ policies: [policy("Pods", 3)] }), 10, 1, 7, "True ScaleDownLimit"],
      ["so many per cent are removed", down({ policies: [policy("Percent", 20)] }), 10, 1, 8, "True ScaleDownLimit"],
      ["a share of a pod goes too", down({ policies: [policy("Percent", 10)] }), 5, 1, 4, "True ScaleDownLimit"],
      [
        "Max takes the larger change down",
        down({ policies: [policy("Pods", 3), policy("Percent", 50)] }),
        10,
        1,
        5,
        "True ScaleDownLimit",
      ],
      [
        "Min takes the smaller change down",
        down({ selectPolicy: "Min", policies: [policy("Pods", 3), policy("Percent", 50)] }),
        10,
        1,
        7,
        "True ScaleDownLimit",
      ],
      ["Disabled removes none", down({ selectPolicy: "Disabled" }), 10, 1, 10, "True ScaleDownLimit"],
      ["the minimum comes before a faster policy", down({}), 10, 1, 4, "True TooFewReplicas", { min: 4 }],
      [
        "pods that were removed in the period count",
        down({ policies: [policy("Pods", 5)] }),
        8,
        1,
        6,
        "True ScaleDownLimit",
        { history: history([], [], [[3, 30]]) },
      ],
      [
        "a period that was used up removes none",
        down({ policies: [policy("Pods", 2)] }),
        8,
        1,
        8,
        "True ScaleDownLimit",
        { history: history([], [], [[3, 30]]) },
      ],
      ["a change within the limits is done", down({}), 10, 9, 9, within],
    ]),
  )("by the policies: %s", (_title, [behavior, current, wanted, replicas, limited, more = {}]) => {
    expect(decided(current, wanted, { behavior, ...more })).toMatchObject({ replicas, limited });
  });
});

describe("an autoscaler whose behavior has stabilization windows:", () => {
  test.each<
    readonly [
      string,
      HorizontalPodAutoscalerBehavior,
      current: number,
      wanted: number,
      Ago,
      replicas: number,
      able: string,
    ]
  >([
    [
      "a way up waits for the lowest recommendation",
      up({ stabilizationWindowSeconds: 60 }),
      4,
      8,
      [
        [5, 30],
        [6, 10],
      ],
      5,
      "ScaleUpStabilized",
    ],
    [
      "a recommendation before the window does not hold the way up",
      up({ stabilizationWindowSeconds: 60 }),
      4,
      8,
      [[5, 60]],
      8,
      "ReadyForNewScale",
    ],
    ["without a window up the latest counts", up({}), 4, 8, [[5, 1]], 8, "ReadyForNewScale"],
    [
      "a way down waits for the highest recommendation",
      down({ stabilizationWindowSeconds: 60 }),
      9,
      2,
      [
        [7, 30],
        [4, 10],
      ],
      7,
      "ScaleDownStabilized",
    ],
    ["without a window down the latest counts", down({}), 9, 2, [[7, 1]], 2, "ReadyForNewScale"],
    ["the way down has 5 minutes where the window is left out", up({}), 9, 2, [[7, 299]], 7, "ScaleDownStabilized"],
    [
      "the scale stays between both windows",
      { scaleUp: rules({ stabilizationWindowSeconds: 60 }), scaleDown: rules({ stabilizationWindowSeconds: 60 }) },
      5,
      8,
      [[3, 30]],
      5,
      "ScaleUpStabilized",
    ],
  ])("%s", (_title, behavior, current, wanted, recommended, replicas, able) => {
    expect(decided(current, wanted, { behavior, history: history(recommended) })).toMatchObject({ replicas, able });
  });
});

describe("an autoscaler remembers of a scaling", () => {
  test.each<
    readonly [
      string,
      HorizontalPodAutoscalerBehavior | undefined,
      from: number,
      to: number,
      before: ScaleHistory,
      after: ScaleHistory,
    ]
  >([
    ["nothing without behaviour", undefined, 2, 5, history(), history()],
    ["a way up", up({}), 2, 5, history(), history([], [[3, 0]])],
    ["a way down", down({}), 5, 1, history(), history([], [], [[4, 0]])],
    [
      "in the place of one that no policy asks for",
      up({ policies: [policy("Pods", 1, 30)] }),
      2,
      3,
      history([], [[5, 31]]),
      history([], [[1, 0]]),
    ],
    [
      "behind one that a policy asks for",
      up({ policies: [policy("Pods", 1, 30)] }),
      2,
      3,
      history([], [[5, 30]]),
      history(
        [],
        [
          [5, 30],
          [1, 0],
        ],
      ),
    ],
  ])("%s", (_title, behavior, from, to, before, after) => {
    expect(withChange(before, behavior, from, to, NOW)).toEqual(after);
  });
});

test.each([
  ["above the maximum", 9, { replicas: 5, reason: "Current number of replicas above Spec.MaxReplicas" }],
  ["below the minimum", 1, { replicas: 2, reason: "Current number of replicas below Spec.MinReplicas" }],
  ["within the bounds", 5, undefined],
])("an autoscaler limits a proposal %s", (_title, current, expected) => {
  expect(outOfBounds(current, 2, 5)).toEqual(expected);
});

test.each([
  ["is 10 % by default", undefined, { scaleUp: 0.1, scaleDown: 0.1 }],
  ["may be set for one direction", { scaleUp: { tolerance: "50m" } }, { scaleUp: 0.05, scaleDown: 0.1 }],
  ["may be none", { scaleDown: { tolerance: "0" } }, { scaleUp: 0.1, scaleDown: 0 }],
])("the tolerance of an autoscaler %s", (_title, behavior, expected) => {
  expect(tolerancesOf(behavior)).toEqual(expected);
});
