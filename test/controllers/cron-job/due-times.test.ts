import { describe, expect, test } from "vitest";
import type { CronJobSpec } from "../../../src/api/types/batch/v1.js";
import { jobOf, scheduleOf } from "../../../src/controllers/cron-job/cron-job-controller.js";
import { dueTimes, nextStartIn } from "../../../src/controllers/cron-job/due-times.js";
import { jobsToDelete, seeJobs } from "../../../src/controllers/cron-job/job-history.js";
import { cronJob, jobOfTick } from "../../helpers/cron-job-objects.js";

const day = (time: string) => `2026-01-05T${time}Z`;

interface Row {
  readonly schedule: string;
  readonly created?: string;
  readonly last?: string;
  readonly deadline?: number;
  readonly now: string;
}

describe("which start time of a CronJob is due", () => {
  test.each<[string, Row, due: string | undefined, missed: string, next: string]>([
    [
      "created a moment ago",
      { schedule: "* * * * *", created: "10:00:10", now: "10:00:20" },
      undefined,
      "none",
      "10:01:00",
    ],
    [
      "the first one, on time",
      { schedule: "* * * * *", created: "10:00:10", now: "10:01:00" },
      "10:01:00",
      "none",
      "10:02:00",
    ],
    [
      "the first one, late",
      { schedule: "0 * * * *", created: "09:30:00", now: "10:20:00" },
      "10:00:00",
      "none",
      "11:00:00",
    ],
    ["it has run", { schedule: "0 * * * *", last: "10:00:00", now: "10:20:00" }, undefined, "none", "11:00:00"],
    [
      "a few were missed: the last one",
      { schedule: "* * * * *", last: "10:00:00", now: "10:05:30" },
      "10:05:00",
      "few",
      "10:06:00",
    ],
    ["100 were missed", { schedule: "* * * * *", last: "10:00:00", now: "11:40:00" }, "11:40:00", "few", "11:41:00"],
    ["101 were missed", { schedule: "* * * * *", last: "10:00:00", now: "11:41:00" }, "11:41:00", "many", "11:42:00"],
    [
      "the deadline forgets older ones",
      { schedule: "* * * * *", last: "06:00:00", deadline: 200, now: "11:41:00" },
      "11:41:00",
      "few",
      "11:42:00",
    ],
    [
      "the deadline forgets all",
      { schedule: "0 * * * *", last: "09:00:00", deadline: 60, now: "10:20:00" },
      undefined,
      "none",
      "11:00:00",
    ],
    [
      "within the deadline",
      { schedule: "0 * * * *", last: "09:00:00", deadline: 3600, now: "10:20:00" },
      "10:00:00",
      "none",
      "11:00:00",
    ],
    [
      "an interval counts from the last start",
      { schedule: "@every 10m", created: "09:59:30", now: "10:21:00" },
      "10:19:30",
      "few",
      "10:29:30",
    ],
    [
      "an irregular schedule",
      { schedule: "30 6-16/4 * * 1-5", last: "06:30:00", now: "14:45:00" },
      "14:30:00",
      "few",
      "2026-01-06T06:30:00Z",
    ],
    [
      "created in the future",
      { schedule: "* * * * *", created: "10:05:10", now: "10:00:00" },
      undefined,
      "none",
      "10:06:00",
    ],
  ])("%s", (_, { schedule, created = "00:00:00", last, deadline, now }, due, missed, next) => {
    const spec: Partial<CronJobSpec> = {
      schedule,
      ...(deadline !== undefined && { startingDeadlineSeconds: deadline }),
    };
    const one = cronJob(day(created), spec, last === undefined ? {} : { lastScheduleTime: day(last) });
    const time = Date.parse(day(now));
    const times = dueTimes(one, scheduleOf(one), time, true);
    expect([times.due, times.missed]).toEqual([due && Date.parse(day(due)), missed]);
    const expected = Date.parse(next.includes("T") ? next : day(next)) - time;
    expect(nextStartIn(one, scheduleOf(one), time)).toBe(expected);
  });

  test("never comes for a schedule that names no existing day, which gets one warning", () => {
    const never = cronJob(day("00:00:00"), { schedule: "59 23 31 2 *" });
    const now = Date.parse(day("10:00:00"));
    expect(() => dueTimes(never, scheduleOf(never), now, true)).toThrow(
      "time difference between two schedules is less than 1 second",
    );
    expect(nextStartIn(never, scheduleOf(never), now)).toBeUndefined();
  });
});

describe("the job that a CronJob creates for a start time", () => {
  const start = Date.parse("2026-07-01T10:30:00Z");

  test("is named by the minute and owned by the CronJob", () => {
    const metadata = { labels: { app: "a" }, annotations: { note: "n" } };
    const one = cronJob(day("00:00:00"), { jobTemplate: { metadata, spec: { template: {}, backoffLimit: 2 } } });
    expect(jobOf(one, start)).toEqual({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name: `tick-${start / 60_000}`,
        namespace: "shop",
        labels: { app: "a" },
        annotations: { note: "n", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-07-01T10:30:00Z" },
        ownerReferences: [
          {
            apiVersion: "batch/v1",
            kind: "CronJob",
            name: "tick",
            uid: "tick-uid",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { template: {}, backoffLimit: 2 },
    });
  });

  test.each([
    ["Europe/Paris", "2026-07-01T12:30:00+02:00"],
    ["America/St_Johns", "2026-07-01T08:00:00-02:30"],
    ["Europe/London", "2026-07-01T11:30:00+01:00"],
    ["Africa/Abidjan", "2026-07-01T10:30:00Z"],
  ])("has the time in its annotation as clocks in %s show it", (timeZone, shown) => {
    const { annotations } = jobOf(cronJob(day("00:00:00"), { timeZone }), start).metadata ?? {};
    expect(annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]).toBe(shown);
  });
});

describe("which finished jobs a CronJob keeps", () => {
  const complete = ["a", "b", "c", "d"].map((name, hour) => jobOfTick(name, day(`0${hour}:00:00`), "Complete"));
  const failed = ["x", "y"].map((name, hour) => jobOfTick(name, day(`0${hour}:30:00`), "Failed"));
  const running = jobOfTick("r", day("09:00:00"));
  test.each([
    ["3 and 1", 3, 1, ["a", "x"]],
    ["none", 0, 0, ["a", "b", "c", "d", "x", "y"]],
    ["all", 9, 9, []],
    ["no limits", undefined, undefined, []],
  ])("with limits %s", (_, successes, failures, deleted) => {
    const one = cronJob(day("00:00:00"), {
      ...(successes !== undefined && { successfulJobsHistoryLimit: successes }),
      ...(failures !== undefined && { failedJobsHistoryLimit: failures }),
    });
    const jobs = [...complete, running, ...failed].reverse();
    expect(jobsToDelete(one, jobs).map(({ metadata }) => metadata?.name)).toEqual(deleted);
  });

  test("of several for one start time, it deletes by name, those that have not started last", () => {
    const jobs = [
      jobOfTick("b", day("01:00:00"), "Failed"),
      jobOfTick("a", day("01:00:00"), "Failed"),
      jobOfTick("0", undefined, "Failed"),
    ];
    const one = cronJob(day("00:00:00"), { failedJobsHistoryLimit: 1 });
    expect(jobsToDelete(one, jobs).map(({ metadata }) => metadata?.name)).toEqual(["a", "b"]);
  });
});

describe("the status of a CronJob when", () => {
  const reference = (name: string) => ({ kind: "Job", name, namespace: "shop", uid: `${name}-uid` });
  test.each([
    ["a job runs", ["a"], [jobOfTick("a", day("01:00:00"))], { active: [reference("a")] }, {}],
    [
      "a job completed",
      ["a"],
      [jobOfTick("a", day("01:00:00"), "Complete")],
      { lastSuccessfulTime: day("01:00:00") },
      { finished: ["a"] },
    ],
    [
      "a job failed, another runs",
      ["a", "b"],
      [jobOfTick("a", day("01:00:00"), "Failed"), jobOfTick("b")],
      { active: [reference("b")] },
      { finished: ["a"] },
    ],
    [
      "two completed: the later time",
      ["a", "b"],
      [jobOfTick("b", day("02:00:00"), "Complete"), jobOfTick("a", day("01:00:00"), "Complete")],
      { lastSuccessfulTime: day("02:00:00") },
      { finished: ["b", "a"] },
    ],
    ["a job that the status does not list", [], [jobOfTick("a")], {}, { unexpected: ["a"] }],
    ["a listed job that is gone", ["a"], [], { active: [reference("a")] }, { missing: ["a"] }],
  ])("%s", (_, active, jobs, status, seen) => {
    const before = active.length === 0 ? {} : { active: active.map(reference) };
    const result = seeJobs(before, jobs);
    expect(result.status).toEqual(status);
    const names = (list: readonly { readonly metadata?: { readonly name?: string } }[]) =>
      list.map(({ metadata }) => metadata?.name);
    expect({
      finished: names(result.finished),
      unexpected: names(result.unexpected),
      missing: result.missing.map(({ name }) => name),
    }).toEqual({ finished: [], unexpected: [], missing: [], ...seen });
  });
});
