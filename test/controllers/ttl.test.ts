import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ttlAfterFinished, expiresIn } from "../../src/controllers/ttl-after-finished/ttl-after-finished.js";
import { ttlController, TtlSteps } from "../../src/controllers/ttl/ttl-controller.js";
import { object } from "../../src/machinery/meta/access.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { ago, job, NOW } from "../helpers/job-objects.js";
import { type ManualControllers, manualControllers } from "../helpers/manual-controllers.js";

describe("the time at which a finished Job with a TTL is deleted:", () => {
  const finished = (type: "Complete" | "Failed", seconds: number) => ({
    conditions: [{ type, status: "True" as const, lastTransitionTime: ago(seconds) }],
  });
  test.each([
    ["a job that runs", { ttlSecondsAfterFinished: 0 }, {}, undefined],
    ["one without a TTL", {}, finished("Complete", 60), undefined],
    ["at once", { ttlSecondsAfterFinished: 0 }, finished("Complete", 0), 0],
    ["later", { ttlSecondsAfterFinished: 100 }, finished("Complete", 60), 40_000],
    ["a failed one", { ttlSecondsAfterFinished: 100 }, finished("Failed", 60), 40_000],
    ["long ago", { ttlSecondsAfterFinished: 10 }, finished("Failed", 60), 0],
  ])("%s", (_, spec, status, wait) => {
    expect(expiresIn(job(spec, status), NOW)).toBe(wait);
  });
});

test.each([
  [1, 0, 0],
  [100, 0, 0],
  [101, 0, 15],
  [101, 5, 15],
  [101, 11, 15],
  [101, 12, 0],
  [501, 0, 30],
  [1001, 0, 60],
  [2001, 0, 300],
  [2001, 201, 300],
  [2001, 202, 60],
])("after %i nodes joined and %i left, kubelets are told to cache secrets for %i s", (came, went, seconds) => {
  const steps = new TtlSteps();
  for (let node = 0; node < came; node++) steps.nodeAdded();
  for (let node = 0; node < went; node++) steps.nodeDeleted();
  expect(steps.seconds).toBe(seconds);
});

describe("on a server with controllers", () => {
  let run: ManualControllers;
  const JOBS = "/apis/batch/v1/namespaces/default/jobs";
  const patch = (path: string, body: JsonObject) =>
    call(run.api, "PATCH", path, body, { type: "application/merge-patch+json" });

  beforeAll(async () => {
    run = await manualControllers(ttlAfterFinished, ttlController);
  });

  afterAll(() => run.close());

  test("a finished Job is deleted when its TTL has passed", async () => {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await call(run.api, "POST", JOBS, { metadata: { name: "brief" }, spec: { ttlSecondsAfterFinished: 60, template } });
    const time = "2026-01-01T00:00:00Z";
    const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: time,
    }));
    const status = { startTime: time, completionTime: time, conditions };
    expect((await patch(`${JOBS}/brief/status`, { status })).status).toBe(200);
    await run.pass(59_000);
    expect((await call(run.api, "GET", `${JOBS}/brief`)).at("metadata")).not.toHaveProperty("deletionTimestamp");
    await run.pass(1000);
    await eventually(async () => expect((await call(run.api, "GET", `${JOBS}/brief`)).status).toBe(404));
  });

  test("nodes get the annotation for their cache time", async () => {
    await call(run.api, "POST", "/api/v1/nodes", { metadata: { name: "one" } });
    await eventually(async () => {
      const { annotations } = object((await call(run.api, "GET", "/api/v1/nodes/one")).at("metadata"));
      expect(annotations).toEqual({ "node.alpha.kubernetes.io/ttl": "0" });
    });
    expect(run.problems).toEqual([]);
  });
});
