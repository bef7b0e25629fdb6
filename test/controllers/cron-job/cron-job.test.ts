import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cronJobController } from "../../../src/controllers/cron-job/cron-job-controller.js";
import { object, objects, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { type ManualControllers, manualControllers } from "../../helpers/manual-controllers.js";

let run: ManualControllers;

const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const MINUTE = 60_000;
const BEGIN = Date.UTC(2026, 0, 1);
const jobTemplate = {
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
};

const create = async (name: string, spec: JsonObject) => {
  const body = { metadata: { name }, spec: { schedule: "* * * * *", jobTemplate, ...spec } };
  expect((await call(run.api, "POST", CRON_JOBS, body)).status).toBe(201);
};
const patch = async (path: string, body: JsonObject) => {
  const answer = await call(run.api, "PATCH", path, body, { type: "application/merge-patch+json" });
  expect(answer.status, answer.text).toBe(200);
};
const statusOf = async (name: string) => object((await call(run.api, "GET", `${CRON_JOBS}/${name}`)).at("status"));
/** The minutes since the beginning for which there are jobs. */
const minutesOf = async (name: string) =>
  objects((await call(run.api, "GET", JOBS)).at("items"))
    .map(({ metadata }) => text(object(metadata)["name"]))
    .filter((job) => job.startsWith(`${name}-`))
    .map((job) => Number(job.slice(name.length + 1)) - BEGIN / MINUTE);
const reasonsOf = async (name: string) =>
  objects((await call(run.api, "GET", "/api/v1/namespaces/default/events")).at("items"))
    .filter(({ involvedObject }) => object(involvedObject)["name"] === name)
    .map(({ reason, message }) => `${text(reason)}: ${text(message)}`);
const finish = async (job: string, end: "Complete" | "Failed") => {
  const now = `${new Date(run.time.now()).toISOString().slice(0, 19)}Z`;
  const first = end === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const conditions = [first, end].map((type) => ({ type, status: "True", reason: "R", message: "m" }));
  const ended = end === "Complete" ? { completionTime: now } : {};
  await patch(`${JOBS}/${job}/status`, { status: { startTime: now, ...ended, conditions } });
};
const jobName = (name: string, minute: number) => `${name}-${BEGIN / MINUTE + minute}`;

beforeAll(async () => {
  run = await manualControllers(cronJobController);
});

afterAll(() => run.close());

describe("a CronJob on a manual clock", () => {
  test("makes a job at each minute of its schedule, and none between", async () => {
    await create("tick", {});
    await create("forbid", { concurrencyPolicy: "Forbid" });
    await create("replace", { concurrencyPolicy: "Replace" });
    await create("paused", { suspend: true });
    await create("zone", { schedule: "2 1 * * *", timeZone: "Europe/Paris" });
    await create("strict", { schedule: "*/2 * * * *", startingDeadlineSeconds: 30 });
    await run.pass(MINUTE - 1);
    expect(await minutesOf("tick")).toEqual([]);
    await run.pass(1);
    await eventually(async () => {
      expect(await minutesOf("tick")).toEqual([1]);
      expect(await statusOf("tick")).toMatchObject({
        lastScheduleTime: "2026-01-01T00:01:00Z",
        active: [{ kind: "Job", namespace: "default", name: jobName("tick", 1), apiVersion: "batch/v1" }],
      });
      expect(await minutesOf("replace")).toEqual([1]);
      expect(await minutesOf("forbid")).toEqual([1]);
    });
    await run.pass(MINUTE);
    await eventually(async () => {
      expect(await minutesOf("tick")).toEqual([1, 2]);
      expect(await minutesOf("forbid")).toEqual([1]);
      expect(await minutesOf("replace")).toEqual([2]);
      expect(await minutesOf("zone")).toEqual([2]);
      expect(await minutesOf("strict")).toEqual([2]);
    });
    expect(await minutesOf("paused")).toEqual([]);
    await eventually(async () => {
      expect(await reasonsOf("forbid")).toContain(
        "JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid",
      );
      expect(await reasonsOf("replace")).toEqual([
        `SuccessfulCreate: Created job ${jobName("replace", 1)}`,
        `SuccessfulDelete: Deleted job ${jobName("replace", 1)}`,
        `SuccessfulCreate: Created job ${jobName("replace", 2)}`,
      ]);
    });
    const [, annotations] = objects((await call(run.api, "GET", JOBS)).at("items"))
      .map(({ metadata }) => object(metadata))
      .filter(({ name }) => name === jobName("zone", 2))
      .flatMap(({ name, annotations: all }) => [name, object(all)]);
    expect(object(annotations)["batch.kubernetes.io/cronjob-scheduled-timestamp"]).toBe("2026-01-01T01:02:00+01:00");
  });

  test("records in a metric how late each job was created", async () => {
    // Those of tick and replace, and one each of the others.
    expect(await run.counted("cronjob_controller_job_creation_skew_duration_seconds")).toEqual({ "": 7 });
  });

  test("counts finished jobs, and starts a job that had to wait for them", async () => {
    await finish(jobName("forbid", 1), "Complete");
    await eventually(async () => {
      expect(await minutesOf("forbid")).toEqual([1, 2]);
      expect(await statusOf("forbid")).toMatchObject({ lastSuccessfulTime: "2026-01-01T00:02:00Z", active: [{}] });
      expect(await reasonsOf("forbid")).toContain(
        `SawCompletedJob: Saw completed job: ${jobName("forbid", 1)}, condition: Complete`,
      );
    });
  });

  test("keeps no more finished jobs than its history limits", async () => {
    await patch(`${CRON_JOBS}/tick`, { spec: { failedJobsHistoryLimit: 0, successfulJobsHistoryLimit: 1 } });
    await finish(jobName("tick", 1), "Failed");
    await finish(jobName("tick", 2), "Complete");
    await eventually(async () => {
      expect(await minutesOf("tick")).toEqual([2]);
      expect(await statusOf("tick")).toEqual({
        lastScheduleTime: "2026-01-01T00:02:00Z",
        lastSuccessfulTime: "2026-01-01T00:02:00Z",
      });
    });
  });

  test("starts the last missed job when it is resumed", async () => {
    await run.pass(3.5 * MINUTE, MINUTE / 2);
    expect(await minutesOf("paused")).toEqual([]);
    await patch(`${CRON_JOBS}/paused`, { spec: { suspend: false } });
    await eventually(async () => expect(await minutesOf("paused")).toEqual([5]));
    await patch(`${CRON_JOBS}/strict`, { spec: { suspend: true } });
  });

  test("starts next at the time of the new schedule when its schedule changes", async () => {
    await patch(`${CRON_JOBS}/zone`, { spec: { schedule: "*/3 * * * *" } });
    await run.pass(MINUTE / 4);
    expect(await minutesOf("zone")).toEqual([2]);
    await run.pass(MINUTE / 4);
    await eventually(async () => expect(await minutesOf("zone")).toEqual([2, 6]));
  });

  test("K37-142: adopts its own job that its status does not list yet, without an event about other jobs", async () => {
    await create("adopts", {});
    const { uid } = object((await call(run.api, "GET", `${CRON_JOBS}/adopts`)).at("metadata"));
    const next = Math.floor((run.time.now() - BEGIN) / MINUTE) + 1;
    const owner = (ofUid: unknown) => [
      { apiVersion: "batch/v1", kind: "CronJob", name: "adopts", uid: ofUid, controller: true },
    ];
    const job = (name: string, ownerReferences: readonly object[]) =>
      call(run.api, "POST", JOBS, { metadata: { name, ownerReferences }, spec: jobTemplate.spec });
    await job("adopts-of-another", owner("11111111-2222-3333-4444-555555555555"));
    await job("adopts-of-none", []);
    await run.pass(MINUTE / 4);
    expect(await reasonsOf("adopts")).toEqual([]);
    // Made before the status lists it, as by a controller that died between the two writes.
    const own = await job(jobName("adopts", next), owner(uid));
    expect(own.status, own.text).toBe(201);
    await eventually(async () => {
      await run.pass(MINUTE / 4);
      expect(await statusOf("adopts")).toMatchObject({ active: [{ name: jobName("adopts", next) }] });
    });
    expect(await reasonsOf("adopts")).toEqual([
      `UnexpectedJob: Saw a job that the controller did not create or forgot: ${jobName("adopts", next)}`,
    ]);
    await patch(`${CRON_JOBS}/adopts`, { spec: { suspend: true } });
  });

  test("removes a job from its status that no longer exists", async () => {
    await call(run.api, "DELETE", `${JOBS}/${jobName("zone", 2)}?propagationPolicy=Background`);
    await eventually(async () => {
      expect(await statusOf("zone")).toMatchObject({ active: [{ name: jobName("zone", 6) }] });
      expect(await reasonsOf("zone")).toContain(`MissingJob: Active job went missing: ${jobName("zone", 2)}`);
    });
    expect(run.problems).toEqual([]);
  });
});
