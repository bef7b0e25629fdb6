import type { CronJob, Job } from "../../api/types/batch/v1.js";
import { parseSchedule } from "../../machinery/text/cron/parse-schedule.js";
import type { Schedule } from "../../machinery/text/cron/schedule.js";
import { zoneOffset } from "../../machinery/text/time-zone/zone-offset.js";
import { controllerReference } from "../owned-pods/controller-ref.js";

export const CRON_JOB_KIND = { apiVersion: "batch/v1", kind: "CronJob" } as const;

/** On each job: the start that it is for, in the time zone of its CronJob. */
const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The schedule with the CronJob's time zone; without one it is in UTC. Throws for one that cannot be read. */
export function scheduleOf({ spec }: CronJob): Schedule {
  return parseSchedule(spec.schedule, spec.timeZone);
}

/** The name is that of the start, so that no start has two jobs. `start` in milliseconds. */
export function jobName({ metadata }: CronJob, start: number): string {
  return `${metadata?.name ?? ""}-${Math.floor(start / 60_000)}`;
}

/** The job of a start, in milliseconds. */
export function jobOf(cronJob: CronJob, start: number): Job {
  const { spec, metadata: { namespace } = {} } = cronJob;
  const { metadata = {}, spec: jobSpec } = spec.jobTemplate;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobName(cronJob, start),
      ...(namespace !== undefined && { namespace }),
      ...(metadata.labels && { labels: metadata.labels }),
      annotations: { ...metadata.annotations, [SCHEDULED]: timeIn(spec.timeZone ?? "UTC", start) },
      ownerReferences: [controllerReference(CRON_JOB_KIND, cronJob)],
    },
    ...(jobSpec && { spec: jobSpec }),
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
