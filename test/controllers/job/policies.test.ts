import { describe, expect, test } from "vitest";
import type { PodFailurePolicyRule, SuccessPolicyRule } from "../../../src/api/types/batch/v1.js";
import { matchFailurePolicy } from "../../../src/controllers/job/failure-policy.js";
import { parseIntervals } from "../../../src/controllers/job/index-intervals.js";
import { metSuccessPolicy } from "../../../src/controllers/job/verdict.js";
import { pod } from "../../helpers/job-objects.js";

const failed = (exitCode: number) => pod("work-1", { phase: "Failed", ended: 5, exitCode });
const evicted = pod("work-1", { phase: "Failed", conditions: [{ type: "DisruptionTarget", status: "True" }] });

describe("the pod failure policy of a Job, when", () => {
  const codes = (
    action: PodFailurePolicyRule["action"],
    operator: "In" | "NotIn",
    values: number[],
    containerName?: string,
  ): PodFailurePolicyRule => ({
    action,
    onExitCodes: { operator, values, ...(containerName !== undefined && { containerName }) },
  });
  const disrupted = (
    action: PodFailurePolicyRule["action"],
    status: "True" | "False" = "True",
  ): PodFailurePolicyRule => ({
    action,
    onPodConditions: [{ type: "DisruptionTarget", status }],
  });

  test.each([
    ["a listed exit code ignores", [codes("Ignore", "In", [3])], failed(3), { action: "Ignore", counts: false }],
    ["another exit code counts", [codes("Ignore", "In", [3])], failed(4), { counts: true }],
    [
      "NotIn matches another exit code",
      [codes("Ignore", "NotIn", [3])],
      failed(4),
      { action: "Ignore", counts: false },
    ],
    ["NotIn leaves its own", [codes("Ignore", "NotIn", [3])], failed(3), { counts: true }],
    ["exit code 0 never matches", [codes("Ignore", "NotIn", [3])], failed(0), { counts: true }],
    ["the named container", [codes("Count", "In", [3], "c")], failed(3), { action: "Count", counts: true }],
    ["another container than the named", [codes("Ignore", "In", [3], "side")], failed(3), { counts: true }],
    ["FailIndex", [codes("FailIndex", "In", [3])], failed(3), { action: "FailIndex", counts: true }],
    [
      "the first rule that matches decides",
      [codes("Ignore", "In", [9]), codes("Count", "In", [3]), codes("Ignore", "In", [3])],
      failed(3),
      { action: "Count", counts: true },
    ],
    [
      "FailJob by exit code",
      [codes("Ignore", "In", [9]), codes("FailJob", "In", [3])],
      failed(3),
      {
        action: "FailJob",
        counts: true,
        message: "Container c for pod shop/work-1 failed with exit code 3 matching FailJob rule at index 1",
      },
    ],
    [
      "FailJob by condition",
      [disrupted("FailJob")],
      evicted,
      {
        action: "FailJob",
        counts: true,
        message: "Pod shop/work-1 has condition DisruptionTarget matching FailJob rule at index 0",
      },
    ],
    ["a condition ignores", [disrupted("Ignore")], evicted, { action: "Ignore", counts: false }],
    ["a condition of another status", [disrupted("Ignore", "False")], evicted, { counts: true }],
    ["a pod without the condition", [disrupted("Ignore")], failed(1), { counts: true }],
    ["no rules", [], failed(1), { counts: true }],
  ])("%s", (_, rules, failure, match) => {
    expect(matchFailurePolicy({ rules }, failure)).toEqual(match);
  });

  test("a container still runs, matches no exit code", () => {
    const deleted = pod("work-1", { deleted: true });
    expect(matchFailurePolicy({ rules: [codes("Ignore", "NotIn", [3])] }, deleted)).toEqual({ counts: true });
  });
});

describe("the success policy of a Job with 10 indexes", () => {
  test.each<[string, SuccessPolicyRule[], string, string | undefined]>([
    ["all of the named indexes", [{ succeededIndexes: "0-2" }], "0-2,5", "Matched rules at index 0"],
    ["not all of the named indexes", [{ succeededIndexes: "0-2" }], "0,1,5", undefined],
    [
      "enough of the named indexes",
      [{ succeededIndexes: "0-4", succeededCount: 2 }],
      "3-9",
      "Matched rules at index 0",
    ],
    ["too few of the named indexes", [{ succeededIndexes: "0-4", succeededCount: 3 }], "3-9", undefined],
    ["enough of any", [{ succeededCount: 3 }], "1,4,7", "Matched rules at index 0"],
    ["too few of any", [{ succeededCount: 4 }], "1,4,7", undefined],
    ["the second rule", [{ succeededIndexes: "0" }, { succeededCount: 1 }], "4", "Matched rules at index 1"],
    ["nothing succeeded", [{ succeededCount: 0 }], "", undefined],
    ["indexes beyond the completions", [{ succeededIndexes: "12-14" }], "0-9", undefined],
  ])("is met or not: %s", (_, rules, succeeded, message) => {
    expect(metSuccessPolicy({ rules }, 10, parseIntervals(succeeded, 10))).toBe(message);
  });

  test("is never met when there is none", () => {
    expect(metSuccessPolicy(undefined, 10, parseIntervals("0-9", 10))).toBeUndefined();
  });
});
