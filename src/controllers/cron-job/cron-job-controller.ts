import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import type { CronJob, CronJobStatus, Job } from "../../api/types/batch/v1.js";
import { objectKey } from "../../client/informers/index.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { Controller, ReconcileResult } from "../../client/manager/index.js";
import type { ControllerContext } from "../context.js";
import { controlledObjects, controllerOf, controllerReference } from "../owned-pods/controller-ref.js";
import { nextStartIn, dueTimes } from "./due-times.js";
import type { Clock } from "../../base/time/clock.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import { referenceTo } from "../../client/events/object-reference.js";
import type { Schedule } from "../../machinery/text/cron/calendar-schedule.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";
import { formatTime } from "../../machinery/meta/time.js";
import { isTimeZone, zoneOffset } from "../../machinery/text/time-zone/time-zone.js";
import { finishedCondition } from "../job/job-conditions.js";
import { isNamespaceTerminating } from "../owned-pods/pod-control.js";
import { jobsToDelete, seeJobs, withActive, withoutActive } from "./job-history.js";
import type { WorkCounts } from "../work-counts.js";
import { writeStatus } from "../writes.js";
import { parseSchedule } from "../../machinery/text/cron/parse-schedule.js";

/** Creates the jobs of CronJobs at their scheduled times. */
export function cronJobController(context: ControllerContext): void {
  const { client, clock, counts, manager } = context;
  const jobs = controlledObjects(manager.informers.of("batch/v1", "Job"));
  const recorder = context.recorder({ component: "cronjob-controller" });
  const reconciler = new CronJobReconciler({
    client,
    clock,
    counts,
    recorder,
    jobsOf: ({ metadata }) => jobs.controlledBy(metadata?.uid ?? ""),
  });
  const controller: Controller<Stored<CronJob>> = manager
    .controllerFor(CRON_JOB_KIND.apiVersion, CRON_JOB_KIND.kind, {
      when: (cronJob, before) => before === undefined || sameSchedule(cronJob, before),
    })
    .named("cronjob-controller")
    .workers(5)
    .owns("batch/v1", "Job")
    .reconcile(({ namespace, name, object }) => reconciler.reconcile(`${namespace}/${name}`, object));
  manager.informers.of(CRON_JOB_KIND.apiVersion, CRON_JOB_KIND.kind).addHandler({
    updated(before, cronJob) {
      if (sameSchedule(before, cronJob)) return;
      // Starts that the new schedule would have had in the past are not made up for.
      const wait = nextStart(cronJob, clock.now());
      if (wait !== undefined) controller.enqueue(objectKey(cronJob), wait);
    },
  });
}

const sameSchedule = (a: CronJob, b: CronJob): boolean =>
  a.spec.schedule === b.spec.schedule && a.spec.timeZone === b.spec.timeZone;

function nextStart(cronJob: CronJob, now: number): number | undefined {
  try {
    return nextStartIn(cronJob, scheduleOf(cronJob), now);
  } catch {
    return undefined;
  }
}

const CRON_JOB_KIND = { apiVersion: "batch/v1", kind: "CronJob" } as const;

/** On each job: the start that it is for, in the time zone of its CronJob. */
const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The schedule of a CronJob in its time zone; without one in UTC. Throws for an invalid schedule. */
export function scheduleOf({ spec }: CronJob): Schedule {
  return parseSchedule(spec.schedule, spec.timeZone);
}

/** The name is that of the start, so that no start has two jobs. `start` in milliseconds. */
function jobName({ metadata }: CronJob, start: number): string {
  return `${metadata?.name ?? ""}-${Math.floor(start / 60_000)}`;
}

/** Makes the job for a start of a CronJob; `start` is in milliseconds. */
export function jobOf(cronJob: CronJob, start: number): Job {
  const { spec, metadata: { namespace } = {} } = cronJob;
  const { metadata = {}, spec: jobSpec } = spec.jobTemplate;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobName(cronJob, start),
      ...(namespace !== undefined && ({ namespace } satisfies FieldsOf<ObjectMeta>)),
      ...(metadata.labels && ({ labels: metadata.labels } satisfies FieldsOf<ObjectMeta>)),
      annotations: { ...metadata.annotations, [SCHEDULED]: timeIn(spec.timeZone ?? "UTC", start) },
      ownerReferences: [controllerReference(CRON_JOB_KIND, cronJob)],
    },
    ...(jobSpec && ({ spec: jobSpec } satisfies FieldsOf<Job>)),
  };
}

/** RFC 3339 with the zone's offset: "2026-01-01T13:00:00+01:00". */
function timeIn(zone: string, time: number): string {
  const offset = zone === "UTC" ? 0 : zoneOffset(zone, time / 1000);
  const shown = new Date(time + offset * 1000).toISOString().slice(0, 19);
  if (offset === 0) return `${shown}Z`;
  const minutes = Math.abs(offset) / 60;
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  return `${shown}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** The cache shows by then what a write was refused for. */
const CONFLICT_MS = 100;

export interface CronJobReconcilerParts {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly counts: WorkCounts;
  readonly recorder: EventRecorder;
  /** The jobs that the CronJob controls. */
  readonly jobsOf: (cronJob: CronJob) => readonly Job[];
}

class CronJobReconciler {
  /** CronJobs as the server answered the last write of their status: the cache may be behind. */
  readonly #written = new Map<string, CronJob>();

  constructor(private readonly parts: CronJobReconcilerParts) {}

  async reconcile(key: string, cached: CronJob | undefined): Promise<ReconcileResult> {
    if (cached === undefined) return void this.#written.delete(key);
    const cronJob = this.#newest(key, cached);
    const jobs = this.parts.jobsOf(cronJob);
    let status = await this.#deleteOld(cronJob, jobs);
    status = await this.#see(cronJob, status, jobs);
    const started = await this.#start({ ...cronJob, status });
    if (!(await this.#write(key, cronJob, started.status))) return { requeueAfterMilliseconds: CONFLICT_MS };
    if (started.error !== undefined) throw started.error;
    const { wait } = started;
    if (wait !== undefined) return { requeueAfterMilliseconds: wait };
  }

  #newest(key: string, cached: CronJob): CronJob {
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    const [a, b] = [written, cached].map(({ metadata }) => metadata?.resourceVersion ?? "") as [string, string];
    if (written.metadata?.uid === cached.metadata?.uid && (compareResourceVersions(a, b) ?? 0) > 0) return written;
    this.#written.delete(key);
    return cached;
  }

  async #deleteOld(cronJob: CronJob, jobs: readonly Job[]): Promise<CronJobStatus> {
    let { status = {} } = cronJob;
    for (const { metadata } of jobsToDelete(cronJob, jobs)) {
      const { name = "", uid } = metadata ?? {};
      if ((await this.#delete(cronJob, name)) === undefined) status = withoutActive(status, uid);
    }
    return status;
  }

  async #see(cronJob: CronJob, before: CronJobStatus, jobs: readonly Job[]): Promise<CronJobStatus> {
    const { client, recorder } = this.parts;
    const { status, finished, unexpected, missing } = seeJobs(before, jobs);
    for (const { metadata } of unexpected) {
      const message = `Saw a job that the controller did not create or forgot: ${metadata?.name}`;
      recorder.event(cronJob, "Warning", "UnexpectedJob", message);
    }
    for (const job of finished) {
      const condition = finishedCondition(job)?.type;
      const message = `Saw completed job: ${job.metadata?.name}, condition: ${condition}`;
      recorder.event(cronJob, "Normal", "SawCompletedJob", message);
    }
    let after = status;
    for (const { namespace = "", name = "", uid } of missing) {
      try {
        // The cache may not show it yet.
        await client.of("batch/v1", "Job").namespace(namespace).get(name);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        recorder.event(cronJob, "Normal", "MissingJob", `Active job went missing: ${name}`);
        after = withoutActive(after, uid);
      }
    }
    return after;
  }

  /** Makes the job that is due, if one is, and says when to look again. */
  async #start(cronJob: CronJob): Promise<Started> {
    const { clock, recorder } = this.parts;
    const { spec, status = {} } = cronJob;
    if (cronJob.metadata?.deletionTimestamp !== undefined) return { status };
    const schedule = this.#schedule(cronJob);
    if (schedule === undefined || spec.suspend === true) return { status };
    const now = clock.now();
    const due = this.#due(cronJob, schedule, now);
    if (due instanceof Error) return { status };
    const later = { status, ...waiting(nextStartIn(cronJob, schedule, now)) };
    if (due === undefined) return later;
    const deadline = spec.startingDeadlineSeconds;
    if (deadline !== undefined && due + Number(deadline) * 1000 < now) {
      const when = new Date(due).toUTCString().replace("GMT", "+0000");
      recorder.event(cronJob, "Warning", "MissSchedule", `Missed scheduled time to start a job: ${when}`);
      return later;
    }
    const active = status.active ?? [];
    if (active.some(({ name }) => name === jobName(cronJob, due)) || status.lastScheduleTime === formatTime(due)) {
      return later;
    }
    if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      recorder.event(cronJob, "Normal", "JobAlreadyActive", message);
      return later;
    }
    const replaced = spec.concurrencyPolicy === "Replace" ? await this.#replaceActive(cronJob) : { status };
    if (replaced.error !== undefined) return replaced;
    const created = await this.#create({ ...cronJob, status: replaced.status }, due);
    return { ...created, ...waiting(nextStartIn({ ...cronJob, status: created.status }, schedule, now)) };
  }

  #schedule(cronJob: CronJob): Schedule | undefined {
    const { recorder } = this.parts;
    const { schedule, timeZone } = cronJob.spec;
    if (timeZone !== undefined && !isTimeZone(timeZone)) {
      const message = `invalid timeZone: ${goQuote(timeZone)}: unknown time zone ${timeZone}`;
      recorder.event(cronJob, "Warning", "UnknownTimeZone", message);
      return undefined;
    }
    if (schedule.includes("TZ")) {
      const message = `CRON_TZ or TZ used in schedule ${goQuote(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`;
      recorder.event(cronJob, "Warning", "UnsupportedSchedule", message);
    }
    try {
      return scheduleOf(cronJob);
    } catch (error) {
      const message = `unparseable schedule: ${goQuote(schedule)} : ${(error as Error).message}`;
      recorder.event(cronJob, "Warning", "UnparseableSchedule", message);
      return undefined;
    }
  }

  /** The start that is due; an Error for a schedule that has none. */
  #due(cronJob: CronJob, schedule: Schedule, now: number): number | undefined | Error {
    const { recorder } = this.parts;
    try {
      const { due, missed } = dueTimes(cronJob, schedule, now, true);
      if (due !== undefined && missed === "many") {
        const message =
          "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
        recorder.event(cronJob, "Warning", "TooManyMissedTimes", message);
      }
      return due;
    } catch (error) {
      const message = `invalid schedule: ${cronJob.spec.schedule} : ${(error as Error).message}`;
      recorder.event(cronJob, "Warning", "InvalidSchedule", message);
      return error as Error;
    }
  }

  async #replaceActive(cronJob: CronJob): Promise<Started> {
    let { status = {} } = cronJob;
    for (const { name = "", uid } of status.active ?? []) {
      const error = await this.#delete(cronJob, name);
      if (error !== undefined) return { status, error };
      status = withoutActive(status, uid);
    }
    return { status };
  }

  async #create(cronJob: CronJob, start: number): Promise<Started> {
    const { client, counts, recorder } = this.parts;
    const { status = {} } = cronJob;
    const jobs = client.of("batch/v1", "Job").namespace(cronJob.metadata?.namespace ?? "");
    let job: Job;
    try {
      job = await jobs.create(jobOf(cronJob, start));
      const created = Date.parse(job.metadata?.creationTimestamp ?? "");
      if (!Number.isNaN(created)) counts.observe("cronJobSkew", [], (created - start) / 1000);
      recorder.event(cronJob, "Normal", "SuccessfulCreate", `Created job ${job.metadata?.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return { status };
      if (!isAlreadyExists(error)) {
        recorder.event(cronJob, "Warning", "FailedCreate", `Error creating job: ${(error as Error).message}`);
        return { status, error };
      }
      job = await jobs.get(jobName(cronJob, start));
      // Another controller's, which keeps count of it.
      if (controllerOf(job)?.uid !== cronJob.metadata?.uid) return { status };
    }
    const active = [...(status.active ?? []), referenceTo(job)];
    return { status: { ...withActive(status, active), lastScheduleTime: formatTime(start) } };
  }

  /** What it failed with; nothing when the job is gone. */
  async #delete(cronJob: CronJob, name: string): Promise<unknown> {
    const { client, recorder } = this.parts;
    try {
      const jobs = client.of("batch/v1", "Job").namespace(cronJob.metadata?.namespace ?? "");
      await jobs.delete(name, { propagationPolicy: "Background" });
      recorder.event(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      recorder.event(cronJob, "Warning", "FailedDelete", `Deleted job: ${(error as Error).message}`);
      return error;
    }
    return undefined;
  }

  /** False when the CronJob has changed since the cache saw it. */
  async #write(key: string, cronJob: CronJob, status: CronJobStatus): Promise<boolean> {
    try {
      const objects = this.parts.client.of(CRON_JOB_KIND.apiVersion, CRON_JOB_KIND.kind);
      const saved = await writeStatus(objects, cronJob, status);
      if (saved !== undefined) this.#written.set(key, saved);
      return true;
    } catch (error) {
      if (isNotFound(error)) return true;
      if (!isConflict(error)) throw error;
      this.#written.delete(key);
      return false;
    }
  }
}

/** What comes of a start. */
interface Started {
  readonly status: CronJobStatus;
  /** Milliseconds until the next start. */
  readonly wait?: number;
  /** What a request failed with. */
  readonly error?: unknown;
}

const waiting = (wait: number | undefined): { readonly wait?: number } => (wait === undefined ? {} : { wait });
