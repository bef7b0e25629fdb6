import { describe, expect, test } from "vitest";
import type { JobSpec, JobStatus } from "../../../src/api/types/batch/v1.js";
import type { Pod } from "../../../src/api/types/core/v1.js";
import { observe } from "../../../src/controllers/job/observation.js";
import { backoffLeft, NO_FAILURES, recordAfter } from "../../../src/controllers/job/pod-failures.js";
import { planPods } from "../../../src/controllers/job/pod-plan.js";
import { job, NOW, pod } from "../../helpers/job-objects.js";

const running = (name: string, index?: number) => pod(name, index === undefined ? {} : { index });
const pending = (name: string, index?: number) =>
  pod(name, { phase: "Pending", ...(index !== undefined && { index }) });
const succeeded = (name: string, index?: number) =>
  pod(name, { phase: "Succeeded", ended: 5, ...(index !== undefined && { index }) });
const failed = (name: string, ended: number, index?: number) =>
  pod(name, { phase: "Failed", ended, exitCode: 1, ...(index !== undefined && { index }) });
const leaving = (name: string, index?: number) => pod(name, { deleted: true, ...(index !== undefined && { index }) });
const indexed = { completionMode: "Indexed", completions: 5, parallelism: 3 } as const;
interface Plan {
  readonly create?: number;
  readonly indexes?: readonly number[];
  readonly remove?: readonly string[];
  readonly wait?: number;
}

type Row = [string, Partial<JobSpec>, JobStatus, Pod[], Plan];

describe("JOB-3: which pods the Job controller creates or deletes for", () => {
  test.each<Row>([
    ["a new job", { completions: 3, parallelism: 2 }, {}, [], { create: 2 }],
    ["one runs already", { completions: 3, parallelism: 2 }, {}, [running("a")], { create: 1 }],
    ["all run", { completions: 3, parallelism: 2 }, {}, [running("a"), pending("b")], {}],
    ["fewer are left than may run", { completions: 3, parallelism: 2 }, { succeeded: 2 }, [], { create: 1 }],
    ["a success that is not counted yet", { completions: 2, parallelism: 2 }, {}, [succeeded("a")], { create: 1 }],
    ["nothing is left", { completions: 3, parallelism: 2 }, { succeeded: 3 }, [], {}],
    ["parallelism 0", { completions: 3, parallelism: 0 }, {}, [], {}],
    [
      "parallelism was lowered",
      { completions: 3, parallelism: 1 },
      {},
      [running("a"), pending("b")],
      { remove: ["b"] },
    ],
    ["at most 500 at a time", { completions: 2000, parallelism: 1200 }, {}, [], { create: 500 }],
    ["suspended, nothing runs", { suspend: true }, {}, [], {}],
    [
      "suspended, pods run",
      { suspend: true, completions: 2 },
      {},
      [running("a"), pending("b")],
      { remove: ["b", "a"] },
    ],
    ["a deleted pod is replaced at once", {}, {}, [leaving("a")], { create: 1 }],
    ["or when it has ended", { podReplacementPolicy: "Failed" }, {}, [leaving("a")], {}],
    ["the lowest indexes first", indexed, {}, [], { create: 3, indexes: [0, 1, 2] }],
    [
      "indexes that are missing",
      indexed,
      { completedIndexes: "0,2" },
      [running("a", 1)],
      { create: 2, indexes: [3, 4] },
    ],
    [
      "an index twice: the one that does less goes",
      indexed,
      {},
      [pending("a", 0), running("b", 0), running("c", 1)],
      { remove: ["a"] },
    ],
    ["an index beyond the completions", indexed, {}, [running("a", 7)], { remove: ["a"] }],
    ["a pod without index", indexed, {}, [running("a")], { remove: ["a"] }],
    [
      "elastic: made smaller",
      { ...indexed, completions: 1, parallelism: 1 },
      { completedIndexes: "3" },
      [running("a", 0), running("b", 2)],
      { remove: ["b"] },
    ],
    [
      "an index whose pod is leaving",
      { ...indexed, podReplacementPolicy: "Failed" },
      {},
      [leaving("a", 0)],
      { create: 2, indexes: [1, 2] },
    ],
    [
      "failed indexes are left out",
      { ...indexed, backoffLimitPerIndex: 1 },
      { failedIndexes: "0" },
      [],
      { create: 3, indexes: [1, 2, 3] },
    ],
    [
      "an index waits for its backoff, others do not",
      { ...indexed, backoffLimitPerIndex: 1 },
      {},
      [failed("a", 4, 1)],
      { create: 2, indexes: [0, 2] },
    ],
    [
      "all indexes wait",
      { ...indexed, completions: 1, backoffLimitPerIndex: 1 },
      {},
      [failed("a", 4, 0)],
      { wait: 6000 },
    ],
    [
      "an index has waited",
      { ...indexed, completions: 1, backoffLimitPerIndex: 1 },
      {},
      [failed("a", 10, 0)],
      { create: 1, indexes: [0] },
    ],
  ])("%s", (_, spec, status, pods, expected) => {
    const plan = planPods(observe(job(spec, status), pods, new Set()), NO_FAILURES, NOW);
    const { create = 0, indexes = [], remove = [], wait = 0 } = expected;
    expect({ ...plan, remove: plan.remove.map(({ metadata }) => metadata?.name) }).toEqual({
      create,
      indexes,
      remove,
      wait,
    });
  });

  test("a Job without completions: as many as its parallelism, until one succeeds", () => {
    const { completions: _, ...spec } = job({ parallelism: 2 }).spec ?? {};
    const planOf = (status: JobStatus) => {
      const endless = { ...job(), spec: spec as JobSpec, status };
      return planPods(observe(endless, [running("a")], new Set()), NO_FAILURES, NOW);
    };
    expect(planOf({})).toMatchObject({ create: 1, remove: [] });
    expect(planOf({ succeeded: 1 })).toMatchObject({ create: 0, remove: [] });
  });

  test("a Job after a failure: it waits before it creates the next pod", () => {
    const record = { failures: 1, lastFailure: NOW - 4000 };
    expect(planPods(observe(job(), [], new Set()), record, NOW)).toMatchObject({ create: 0, wait: 6000 });
  });
});

describe("the Job controller's backoff after failures", () => {
  test.each([
    [0, 0, 0],
    [1, 0, 10_000],
    [2, 0, 20_000],
    [3, 5000, 35_000],
    [6, 0, 320_000],
    [7, 0, 600_000],
    [50, 0, 600_000],
    [1, 10_000, 0],
    [1, 60_000, 0],
  ])("of %i pods, the last one %i ms ago, lasts %i ms", (failures, ago, left) => {
    expect(backoffLeft({ failures, lastFailure: NOW - ago }, NOW)).toBe(left);
  });

  const before = { failures: 3, lastFailure: NOW - 60_000 };
  test.each([
    ["nothing ended", [], [], before],
    ["one more failure", [], [failed("a", 7)], { failures: 4, lastFailure: NOW - 7000 }],
    ["two more", [], [failed("a", 7), failed("b", 9)], { failures: 5, lastFailure: NOW - 7000 }],
    ["a success", [succeeded("a")], [], NO_FAILURES],
    ["a failure after a success", [succeeded("a")], [failed("b", 3)], { failures: 1, lastFailure: NOW - 3000 }],
    ["a failure before a success", [succeeded("a")], [failed("b", 8)], NO_FAILURES],
    [
      "failures around a success",
      [succeeded("a")],
      [failed("b", 8), failed("c", 2)],
      { failures: 1, lastFailure: NOW - 2000 },
    ],
  ])("counts failures in a row: %s", (_, successes, failures, after) => {
    expect(recordAfter(before, successes, failures)).toEqual(after);
  });

  test.each([
    ["its containers", failed("a", 7), 7],
    [
      "its readiness",
      pod("a", {
        phase: "Failed",
        conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2026-01-01T11:59:00Z" }],
      }),
      60,
    ],
    ["its deletion, when the grace began", pod("a", { deleted: true }), 40],
    ["its creation", pod("a", { phase: "Failed" }), 3600],
  ])("is measured from the end of a pod ended by %s", (_, ended, seconds) => {
    expect(recordAfter(NO_FAILURES, [], [ended]).lastFailure).toBe(NOW - seconds * 1000);
  });
});
