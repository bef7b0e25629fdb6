import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { JobStatus } from "../../../src/api/types/batch/v1.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { jobController } from "../../../src/controllers/job/job-controller.js";
import { object, objects, type ReadonlyFields, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { type ManualControllers, manualControllers } from "../../helpers/manual-controllers.js";

let run: ManualControllers;
let api: Transport;

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const TEMPLATE = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };

const create = async (name: string, spec: JsonObject) => {
  const answer = await call(api, "POST", JOBS, {
    metadata: { name },
    spec: { template: TEMPLATE, ...spec },
  });
  expect(answer.status, answer.text).toBe(201);
};
const statusOf = async (name: string) => object((await call(api, "GET", `${JOBS}/${name}`)).at("status")) as JobStatus;
/** By their names. */
const podsOf = async (job: string) => {
  const items = objects((await call(api, "GET", `${PODS}?labelSelector=job-name%3D${job}`)).at("items"));
  return [...items].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
};
const nameOf = (pod: ReadonlyFields | undefined) => text(object(pod?.["metadata"])["name"]);
const patch = async (path: string, body: JsonObject) => {
  const answer = await call(api, "PATCH", path, body, { type: "application/merge-patch+json" });
  expect(answer.status, answer.text).toBe(200);
};
const end = async (pod: ReadonlyFields | undefined, phase: "Succeeded" | "Failed") =>
  patch(`${PODS}/${nameOf(pod)}/status`, { status: { phase } });
const reasonsOf = async (name: string) =>
  objects((await call(api, "GET", "/api/v1/namespaces/default/events")).at("items"))
    .filter(({ involvedObject }) => object(involvedObject)["name"] === name && object(involvedObject)["kind"] === "Job")
    .map(({ reason, message }) => `${text(reason)}: ${text(message).replace(/-[a-z0-9]{5}$/, "-x")}`);

beforeAll(async () => {
  run = await manualControllers(jobController);
  ({ api } = run);
});

afterAll(() => run.close());

/** Tries once a second, of the controller's time, until it does not throw. */
const soon = (check: () => Promise<void>) =>
  eventually(async () => {
    await run.pass(1000);
    await check();
  });

describe.concurrent("a Job on a server with controllers", () => {
  test("JOB-1: runs its pods, counts them, and completes", async () => {
    await create("pair", { completions: 2, parallelism: 2 });
    await soon(async () => expect(await statusOf("pair")).toMatchObject({ active: 2, ready: 0, terminating: 0 }));
    for (const pod of await podsOf("pair")) await end(pod, "Succeeded");
    const reached = { reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
    await soon(async () => {
      const { startTime, completionTime, conditions, ...counts } = await statusOf("pair");
      expect(counts).toEqual({ succeeded: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
      expect(conditions).toMatchObject([
        { type: "SuccessCriteriaMet", status: "True", ...reached },
        { type: "Complete", status: "True", ...reached },
      ]);
      expect([startTime, completionTime]).not.toContain(undefined);
    });
    for (const pod of await podsOf("pair")) expect(object(pod["metadata"])["finalizers"]).toBeUndefined();
    await soon(async () =>
      expect(await reasonsOf("pair")).toEqual([
        "SuccessfulCreate: Created pod: pair-x",
        "SuccessfulCreate: Created pod: pair-x",
        "Completed: Job completed",
      ]),
    );
  });

  test("fails after more failed pods than its backoff limit", async () => {
    await create("broken", { backoffLimit: 0, completions: 2, parallelism: 2 });
    await soon(async () => expect(await podsOf("broken")).toHaveLength(2));
    const [first] = await podsOf("broken");
    await end(first, "Failed");
    const because = { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
    await soon(async () =>
      expect(await statusOf("broken")).toMatchObject({
        failed: 2,
        terminating: 0,
        conditions: [
          { type: "FailureTarget", ...because },
          { type: "Failed", ...because },
        ],
      }),
    );
    // The other one was never scheduled: nothing keeps it.
    expect(await podsOf("broken")).toHaveLength(1);
    await soon(async () => expect(await reasonsOf("broken")).toContain(`${because.reason}: ${because.message}`));
  });

  test("with indexes completes when each has succeeded, and may be made smaller", async () => {
    await create("indexed", { completionMode: "Indexed", completions: 3, parallelism: 3 });
    await soon(async () => expect(await podsOf("indexed")).toHaveLength(3));
    const pods = await podsOf("indexed");
    expect(pods.map(({ spec }) => object(spec)["hostname"])).toEqual(["indexed-0", "indexed-1", "indexed-2"]);
    await end(pods[0], "Succeeded");
    await soon(async () => expect(await statusOf("indexed")).toMatchObject({ completedIndexes: "0", active: 2 }));
    await patch(`${JOBS}/indexed`, { spec: { completions: 2, parallelism: 2 } });
    await soon(async () => expect(await podsOf("indexed")).toHaveLength(2));
    await end(pods[1], "Succeeded");
    await soon(async () =>
      expect(await statusOf("indexed")).toMatchObject({
        completedIndexes: "0,1",
        succeeded: 2,
        conditions: [{}, { type: "Complete" }],
      }),
    );
  });

  test("can be suspended and resumed", async () => {
    await create("paused", { suspend: true });
    await soon(async () => {
      const { startTime, conditions } = await statusOf("paused");
      expect(startTime).toBeUndefined();
      expect(conditions).toMatchObject([
        { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" },
      ]);
    });
    expect(await podsOf("paused")).toEqual([]);
    await patch(`${JOBS}/paused`, { spec: { suspend: false } });
    await soon(async () => {
      const { startTime, active, conditions } = await statusOf("paused");
      expect([active, startTime === undefined]).toEqual([1, false]);
      expect(conditions).toMatchObject([
        { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" },
      ]);
    });
    await patch(`${JOBS}/paused`, { spec: { suspend: true } });
    await soon(async () => {
      expect(await podsOf("paused")).toEqual([]);
      expect(await statusOf("paused")).not.toHaveProperty("startTime");
    });
  });

  test("with another managedBy is left alone", async () => {
    await create("foreign", { managedBy: "example.com/runner" });
    await create("own", { managedBy: "kubernetes.io/job-controller" });
    await soon(async () => expect(await podsOf("own")).toHaveLength(1));
    expect([await podsOf("foreign"), await statusOf("foreign")]).toEqual([[], {}]);
  });

  test("releases its pods when it is deleted", async () => {
    await create("gone", {});
    await soon(async () => expect(await podsOf("gone")).toHaveLength(1));
    await call(api, "DELETE", `${JOBS}/gone?propagationPolicy=Orphan`);
    await soon(async () => {
      const [pod] = await podsOf("gone");
      const { finalizers, ownerReferences } = object(pod?.["metadata"]);
      expect([finalizers, ownerReferences]).toEqual([undefined, undefined]);
    });
  });
});

test("metrics count jobs, their pods and reconciliations", async () => {
  const own = await manualControllers(jobController);
  onTestFinished(() => own.close());
  const send = (method: string, path: string, body: JsonObject) =>
    call(own.api, method, path, body, method === "PATCH" ? { type: "application/merge-patch+json" } : {});
  const spec = { template: TEMPLATE, completions: 1 };
  await send("POST", JOBS, { metadata: { name: "good" }, spec });
  await send("POST", JOBS, {
    metadata: { name: "bad" },
    spec: { ...spec, completionMode: "Indexed", backoffLimit: 0 },
  });
  const finished = (): Promise<object> => own.counted("job_controller_jobs_finished_total");
  for (const [job, phase] of [
    ["good", "Succeeded"],
    ["bad", "Failed"],
  ] as const) {
    await eventually(async () => {
      await own.pass(1000);
      const { at } = await call(own.api, "GET", `${PODS}?labelSelector=job-name%3D${job}`);
      const [pod] = objects(at("items"));
      expect((await send("PATCH", `${PODS}/${nameOf(pod)}/status`, { status: { phase } })).status).toBe(200);
    });
  }
  await eventually(async () => {
    await own.pass(1000);
    expect(await finished()).toEqual({
      "NonIndexed succeeded CompletionsReached": 1,
      "Indexed failed BackoffLimitExceeded": 1,
    });
  });
  expect(await own.counted("job_controller_job_pods_finished_total")).toEqual({
    "NonIndexed succeeded": 1,
    "Indexed failed": 1,
  });
  const syncs = await own.counted("job_controller_job_syncs_total");
  expect(syncs).toMatchObject({ "NonIndexed success pods_created": 1, "Indexed success pods_created": 1 });
  expect(await own.counted("job_controller_job_sync_duration_seconds")).toEqual(syncs);
});
