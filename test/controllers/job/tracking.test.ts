import { describe, expect, test } from "vitest";
import type { JobCondition, JobSpec, JobStatus } from "../../../src/api/types/batch/v1.js";
import type { Pod } from "../../../src/api/types/core/v1.js";
import { newCondition } from "../../../src/controllers/job/job-conditions.js";
import { observe } from "../../../src/controllers/job/observation.js";
import { concluded, listEndedPods, settleCounted } from "../../../src/controllers/job/tracking.js";
import { COMPLETIONS_REACHED } from "../../../src/controllers/job/verdict.js";
import { ago, job, NOW, pod } from "../../helpers/job-objects.js";

const failed = (name: string, index?: number) =>
  pod(name, { phase: "Failed", ended: 5, exitCode: 1, ...(index !== undefined && { index }) });
const succeeded = (name: string, index?: number) =>
  pod(name, { phase: "Succeeded", ended: 5, ...(index !== undefined && { index }) });
const reached = newCondition(COMPLETIONS_REACHED, "True", NOW);
const failing = newCondition({ type: "FailureTarget", reason: "DeadlineExceeded", message: "late" }, "True", NOW);

function list(spec: Partial<JobSpec>, status: JobStatus, pods: Pod[], verdict?: JobCondition, released: string[] = []) {
  return listEndedPods(observe(job(spec, status), pods, new Set(released)), status, verdict, NOW);
}

const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata?.name);

describe("the Job controller counts each ended pod once", () => {
  type Row = [string, Partial<JobSpec>, JobStatus, Pod[], JobStatus, string[]];
  const ignoring = {
    podFailurePolicy: { rules: [{ action: "Ignore" as const, onExitCodes: { operator: "In" as const, values: [1] } }] },
  };
  const indexed = { completionMode: "Indexed", completions: 5 } as const;
  test.each<Row>([
    ["none", {}, {}, [pod("a")], { uncountedTerminatedPods: {} }, []],
    ["a success", {}, {}, [succeeded("a")], { uncountedTerminatedPods: { succeeded: ["a-uid"] } }, ["a"]],
    ["a failure", {}, {}, [failed("a"), pod("b")], { uncountedTerminatedPods: { failed: ["a-uid"] } }, ["a"]],
    ["a failure that the policy ignores", ignoring, {}, [failed("a")], { uncountedTerminatedPods: {} }, ["a"]],
    [
      "one that is listed stays listed",
      {},
      { uncountedTerminatedPods: { failed: ["a-uid"] } },
      [failed("a")],
      { uncountedTerminatedPods: { failed: ["a-uid"] } },
      ["a"],
    ],
    [
      "one that is listed and released is counted",
      {},
      { failed: 1, uncountedTerminatedPods: { failed: ["a-uid"] } },
      [],
      { failed: 2, uncountedTerminatedPods: {} },
      [],
    ],
    [
      "one without its finalizer was counted",
      {},
      { failed: 1 },
      [pod("a", { phase: "Failed", tracked: false })],
      { failed: 1, uncountedTerminatedPods: {} },
      [],
    ],
    [
      "an index that succeeded",
      indexed,
      { completedIndexes: "0" },
      [succeeded("a", 2)],
      { succeeded: 2, completedIndexes: "0,2", uncountedTerminatedPods: {} },
      ["a"],
    ],
    [
      "an index that succeeded before",
      indexed,
      { completedIndexes: "2", succeeded: 1 },
      [succeeded("a", 2)],
      { succeeded: 1, completedIndexes: "2", uncountedTerminatedPods: {} },
      ["a"],
    ],
    [
      "an index beyond the completions is released",
      indexed,
      {},
      [succeeded("a", 7)],
      { uncountedTerminatedPods: {} },
      ["a"],
    ],
    [
      "elastic: counts go down",
      { ...indexed, completions: 2 },
      { completedIndexes: "0-3", succeeded: 4 },
      [],
      { succeeded: 2, completedIndexes: "0,1", uncountedTerminatedPods: {} },
      [],
    ],
    [
      "elastic: to nothing",
      { ...indexed, completions: 0 },
      { completedIndexes: "0-3", succeeded: 4 },
      [],
      { uncountedTerminatedPods: {} },
      [],
    ],
    [
      "a failed pod stays until its index has a new one",
      { ...indexed, backoffLimitPerIndex: 1 },
      {},
      [failed("a", 1)],
      { failedIndexes: "", uncountedTerminatedPods: {} },
      [],
    ],
    [
      "then it goes",
      { ...indexed, backoffLimitPerIndex: 1 },
      {},
      [failed("a", 1), pod("b", { index: 1 })],
      { failedIndexes: "", uncountedTerminatedPods: { failed: ["a-uid"] } },
      ["a"],
    ],
    [
      "or when its index has failed",
      { ...indexed, backoffLimitPerIndex: 0 },
      {},
      [failed("a", 1)],
      { failedIndexes: "1", uncountedTerminatedPods: { failed: ["a-uid"] } },
      ["a"],
    ],
  ])("in the status: %s", (_, spec, status, pods, expected, released) => {
    const tracking = list(spec, status, pods);
    expect(tracking.status).toEqual(expected);
    expect(names(tracking.release)).toEqual(released);
    expect(tracking.end).toBeUndefined();
  });

  test("even when its cache still shows the finalizer", () => {
    expect(list({}, { succeeded: 1 }, [succeeded("a")], undefined, ["a-uid"])).toMatchObject({
      status: { succeeded: 1, uncountedTerminatedPods: {} },
      release: [],
    });
  });

  test("listing at most 500 pods at a time", () => {
    const pods = Array.from({ length: 600 }, (_, index) => succeeded(`p${index}`));
    const { full, release, status } = list({ completions: 600 }, {}, pods);
    expect([full, release.length, status.uncountedTerminatedPods?.succeeded?.length]).toEqual([true, 500, 500]);
  });

  test("and releases every pod of a deleted Job", () => {
    const deleted = job();
    deleted.metadata = { ...deleted.metadata, deletionTimestamp: ago(1) };
    const { release } = listEndedPods(observe(deleted, [pod("a")], new Set()), {}, undefined, NOW);
    expect(names(release)).toEqual(["a"]);
  });
});

describe("the Job controller ends a Job", () => {
  test("by announcing success first, then completion when its pods are counted", () => {
    const tracking = list({}, {}, [succeeded("a")], reached);
    expect(tracking.status).toEqual({
      conditions: [reached],
      uncountedTerminatedPods: { succeeded: ["a-uid"] },
    });
    expect(concluded(tracking.status, tracking)).toBeUndefined();
    const settled = settleCounted(tracking.status, new Set());
    const complete = { ...reached, type: "Complete" };
    expect(concluded(settled, tracking)).toEqual({
      succeeded: 1,
      conditions: [reached, complete],
      completionTime: ago(0),
      uncountedTerminatedPods: {},
    });
  });

  test("by announcing failure, counting running pods as failed, and setting the condition when no pod is terminating", () => {
    const tracking = list({}, {}, [pod("a"), succeeded("b")], failing);
    const { uncountedTerminatedPods } = tracking.status;
    expect(uncountedTerminatedPods).toEqual({ succeeded: ["b-uid"], failed: ["a-uid"] });
    const settled = settleCounted(tracking.status, new Set());
    expect(concluded({ ...settled, terminating: 1 }, tracking)).toBeUndefined();
    expect(concluded({ ...settled, terminating: 0 }, tracking)).toEqual({
      succeeded: 1,
      failed: 1,
      terminating: 0,
      conditions: [failing, { ...failing, type: "Failed" }],
      uncountedTerminatedPods: {},
    });
  });

  test("by its success policy without counting the pods that still run", () => {
    const met = newCondition({ type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: "m" }, "True", NOW);
    const tracking = list({}, {}, [pod("a")], met);
    expect(tracking.status.uncountedTerminatedPods).toEqual({});
    expect(names(tracking.release)).toEqual(["a"]);
    expect(tracking.end).toMatchObject({ type: "Complete", reason: "SuccessPolicy", message: "m" });
  });

  test("and does not announce the same end again", () => {
    const { status } = list({}, { conditions: [reached] }, [], reached);
    expect(status.conditions).toEqual([reached]);
  });
});
