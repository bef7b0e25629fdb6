import { describe, expect, test } from "vitest";
import type { JobSpec } from "../../../src/api/types/batch/v1.js";
import { indexedPod, jobPod } from "../../../src/controllers/job/pod-worker.js";
import { job, pod } from "../../helpers/job-objects.js";

const CONTROLLER = { apiVersion: "batch/v1", kind: "Job", name: "work", uid: "job-uid", controller: true };
const INDEX = "batch.kubernetes.io/job-completion-index";
const FAILURES = "batch.kubernetes.io/job-index-failure-count";
const IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count";
const indexed = (spec: Partial<JobSpec> = {}) => job({ completionMode: "Indexed", completions: 5, ...spec });

describe("the pod that the Job controller creates", () => {
  test("has the template's spec, the job as its controller, and the tracking finalizer", () => {
    const made = jobPod(job(), CONTROLLER);
    expect(made).toMatchObject({
      metadata: {
        generateName: "work-",
        ownerReferences: [CONTROLLER],
        finalizers: ["batch.kubernetes.io/job-tracking"],
      },
      spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
    });
  });

  test("for an index has it in name, host name, annotation, label and environment", () => {
    const made = indexedPod(indexed(), CONTROLLER, 3, undefined);
    expect(made.metadata).toMatchObject({
      generateName: "work-3-",
      labels: { [INDEX]: "3" },
      annotations: { [INDEX]: "3" },
    });
    expect(made.spec?.hostname).toBe("work-3");
    expect(made.spec?.containers[0]?.env).toEqual([
      { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } } },
    ]);
  });

  test("keeps a JOB_COMPLETION_INDEX that the template sets", () => {
    const env = [{ name: "JOB_COMPLETION_INDEX", value: "mine" }];
    const template = {
      spec: { containers: [{ name: "c", image: "i", env }], initContainers: [{ name: "i", image: "i" }] },
    };
    const { spec } = indexedPod(indexed({ template }), CONTROLLER, 3, undefined);
    expect(spec?.containers[0]?.env).toEqual(env);
    expect(spec?.initContainers?.[0]?.env).toHaveLength(1);
  });

  test("with a long job name still has its index in the generated name", () => {
    const long = { ...indexed(), metadata: { name: "n".repeat(62) } };
    const { generateName = "" } = indexedPod(long, CONTROLLER, 12, undefined).metadata ?? {};
    expect(generateName).toBe(`${"n".repeat(54)}-12-`);
  });

  const failed = (annotations: Record<string, string>) =>
    pod("a", { phase: "Failed", ended: 1, exitCode: 1, index: 3, annotations });
  const ignoring = { rules: [{ action: "Ignore" as const, onExitCodes: { operator: "In" as const, values: [1] } }] };
  test.each([
    ["the first", {}, undefined, { [FAILURES]: "0" }],
    ["after a failure", {}, failed({ [FAILURES]: "0" }), { [FAILURES]: "1" }],
    ["after another", {}, failed({ [FAILURES]: "1", [IGNORED]: "2" }), { [FAILURES]: "2", [IGNORED]: "2" }],
    [
      "after one that the policy ignores",
      { podFailurePolicy: ignoring },
      failed({ [FAILURES]: "1" }),
      { [FAILURES]: "1", [IGNORED]: "1" },
    ],
    ["after one whose annotation cannot be read", {}, failed({ [FAILURES]: "many" }), { [FAILURES]: "1" }],
    ["after one whose annotation is negative", {}, failed({ [FAILURES]: "-3" }), { [FAILURES]: "1" }],
  ])("has the number of failures of its index: %s", (_, spec, replaced, annotations) => {
    const made = indexedPod(indexed({ backoffLimitPerIndex: 5, ...spec }), CONTROLLER, 3, replaced);
    expect(made.metadata?.annotations).toEqual({ [INDEX]: "3", ...annotations });
  });
});
