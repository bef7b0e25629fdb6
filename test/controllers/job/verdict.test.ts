import { describe, expect, test } from "vitest";
import type { JobSpec, JobStatus } from "../../../src/api/types/batch/v1.js";
import type { Pod } from "../../../src/api/types/core/v1.js";
import { observe } from "../../../src/controllers/job/observation.js";
import { deadlineIn, verdictOn } from "../../../src/controllers/job/verdict.js";
import { ago, job, NOW, pod } from "../../helpers/job-objects.js";

const failed = (name: string, index?: number) =>
  pod(name, { phase: "Failed", ended: 5, exitCode: 1, ...(index !== undefined && { index }) });
const done = (name: string, index: number) => pod(name, { phase: "Succeeded", ended: 5, index });
const onFailure = { template: { spec: { restartPolicy: "OnFailure" as const, containers: [] } } };
const indexed = { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimit: 2 ** 31 - 1 } as const;
const failuresOf = (count: number) => ({ "batch.kubernetes.io/job-index-failure-count": `${count}` });

type Row = [string, Partial<JobSpec>, JobStatus, Pod[], [type: string, reason: string] | undefined];

describe("JOB-2: whether and why the Job controller ends a Job", () => {
  test.each<Row>([
    ["nothing has happened", {}, {}, [], undefined],
    ["fewer failures than the limit", { backoffLimit: 2 }, {}, [failed("a"), failed("b")], undefined],
    [
      "more failures than the limit",
      { backoffLimit: 1 },
      {},
      [failed("a"), failed("b")],
      ["FailureTarget", "BackoffLimitExceeded"],
    ],
    ["a limit of 0", { backoffLimit: 0 }, {}, [failed("a")], ["FailureTarget", "BackoffLimitExceeded"]],
    ["failures that were counted", { backoffLimit: 1 }, { failed: 2 }, [], ["FailureTarget", "BackoffLimitExceeded"]],
    [
      "failures that are listed",
      { backoffLimit: 1 },
      { uncountedTerminatedPods: { failed: ["x", "y"] } },
      [],
      ["FailureTarget", "BackoffLimitExceeded"],
    ],
    [
      "a failure that the status lists counts once",
      { backoffLimit: 1 },
      { uncountedTerminatedPods: { failed: ["a-uid"] } },
      [failed("a")],
      undefined,
    ],
    [
      "a failure without its finalizer was counted",
      { backoffLimit: 0 },
      {},
      [pod("a", { phase: "Failed", tracked: false })],
      undefined,
    ],
    [
      "a deleted pod is a failure",
      { backoffLimit: 0 },
      {},
      [pod("a", { deleted: true })],
      ["FailureTarget", "BackoffLimitExceeded"],
    ],
    [
      "a deleted pod is none while only failed ones are replaced",
      { backoffLimit: 0, podReplacementPolicy: "Failed" },
      {},
      [pod("a", { deleted: true })],
      undefined,
    ],
    [
      "restarts reach the limit",
      { backoffLimit: 3, ...onFailure },
      {},
      [pod("a", { restarts: 1 }), pod("b", { restarts: 2 })],
      ["FailureTarget", "BackoffLimitExceeded"],
    ],
    ["restarts below the limit", { backoffLimit: 3, ...onFailure }, {}, [pod("a", { restarts: 2 })], undefined],
    [
      "one restart with a limit of 0",
      { backoffLimit: 0, ...onFailure },
      {},
      [pod("a", { restarts: 1 })],
      ["FailureTarget", "BackoffLimitExceeded"],
    ],
    ["restarts count only with OnFailure", { backoffLimit: 1 }, {}, [pod("a", { restarts: 5 })], undefined],
    [
      "restarts of ended pods do not count",
      { backoffLimit: 2, ...onFailure },
      {},
      [pod("a", { phase: "Succeeded", restarts: 5 })],
      undefined,
    ],
    [
      "active too long",
      { activeDeadlineSeconds: 30 },
      { startTime: ago(30) },
      [],
      ["FailureTarget", "DeadlineExceeded"],
    ],
    ["active not too long", { activeDeadlineSeconds: 30 }, { startTime: ago(29) }, [], undefined],
    ["suspended for long", { activeDeadlineSeconds: 30, suspend: true }, { startTime: ago(60) }, [], undefined],
    [
      "the announced failure",
      {},
      { conditions: [{ type: "FailureTarget", status: "True", reason: "DeadlineExceeded" }] },
      [],
      ["Failed", "DeadlineExceeded"],
    ],
    [
      "the announced success",
      { backoffLimit: 0 },
      { conditions: [{ type: "SuccessCriteriaMet", status: "True", reason: "SuccessPolicy" }] },
      [failed("a")],
      ["SuccessCriteriaMet", "SuccessPolicy"],
    ],
    ["a failed index, others to come", { ...indexed, backoffLimitPerIndex: 0 }, {}, [failed("a", 0)], undefined],
    [
      "all indexes settled, one failed",
      { ...indexed, backoffLimitPerIndex: 0 },
      { completedIndexes: "0" },
      [failed("a", 1), done("b", 2)],
      ["FailureTarget", "FailedIndexes"],
    ],
    [
      "an index with failures left",
      { ...indexed, backoffLimitPerIndex: 1 },
      { completedIndexes: "0,1" },
      [failed("a", 2)],
      undefined,
    ],
    [
      "an index with none left",
      { ...indexed, backoffLimitPerIndex: 1 },
      { completedIndexes: "0,1" },
      [
        {
          ...failed("a", 2),
          metadata: {
            ...failed("a", 2).metadata,
            annotations: { "batch.kubernetes.io/job-completion-index": "2", ...failuresOf(1) },
          },
        },
      ],
      ["FailureTarget", "FailedIndexes"],
    ],
    [
      "too many failed indexes",
      { ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
      { failedIndexes: "0" },
      [failed("a", 1)],
      ["FailureTarget", "MaxFailedIndexesExceeded"],
    ],
    [
      "as many failed indexes as may be",
      { ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
      {},
      [failed("a", 1)],
      undefined,
    ],
    [
      "the success policy",
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0" }] } },
      {},
      [done("a", 0)],
      ["SuccessCriteriaMet", "SuccessPolicy"],
    ],
    [
      "the failure policy",
      {
        backoffLimit: 9,
        podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] },
      },
      {},
      [failed("a")],
      ["FailureTarget", "PodFailurePolicy"],
    ],
    [
      "ignored failures",
      {
        backoffLimit: 0,
        podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [1] } }] },
      },
      {},
      [failed("a")],
      undefined,
    ],
    [
      "FailIndex fails the index at once",
      {
        ...indexed,
        backoffLimitPerIndex: 5,
        maxFailedIndexes: 0,
        podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }] },
      },
      {},
      [failed("a", 0)],
      ["FailureTarget", "MaxFailedIndexesExceeded"],
    ],
  ])("when %s", (_, spec, status, pods, expected) => {
    const verdict = verdictOn(observe(job(spec, status), pods, new Set()), NOW);
    expect(verdict && [verdict.type, verdict.reason]).toEqual(expected);
  });

  test("with Kubernetes' words in the conditions", () => {
    const messageOf = (spec: Partial<JobSpec>, status: JobStatus, pods: Pod[] = []) =>
      verdictOn(observe(job(spec, status), pods, new Set()), NOW);
    expect(messageOf({ backoffLimit: 0 }, { failed: 1 })).toEqual({
      type: "FailureTarget",
      status: "True",
      lastProbeTime: ago(0),
      lastTransitionTime: ago(0),
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    });
    expect(messageOf({ activeDeadlineSeconds: 1 }, { startTime: ago(2) })?.message).toBe(
      "Job was active longer than specified deadline",
    );
    const settled = { ...indexed, backoffLimitPerIndex: 0 };
    expect(messageOf(settled, { completedIndexes: "0,1", failedIndexes: "2" })?.message).toBe("Job has failed indexes");
    expect(messageOf({ ...settled, maxFailedIndexes: 0 }, { failedIndexes: "2" })?.message).toBe(
      "Job has exceeded the specified maximal number of failed indexes",
    );
  });

  test.each<[string, Partial<JobSpec>, JobStatus, number | undefined]>([
    ["no deadline", {}, { startTime: ago(5) }, undefined],
    ["some time is left", { activeDeadlineSeconds: 30 }, { startTime: ago(5) }, 25_000],
    ["a suspended job has no deadline", { activeDeadlineSeconds: 30, suspend: true }, { startTime: ago(5) }, undefined],
    ["one that has not started has none", { activeDeadlineSeconds: 30 }, {}, undefined],
  ])("by its deadline: %s", (_, spec, status, left) => {
    expect(deadlineIn(job(spec, status), NOW)).toBe(left);
  });
});
