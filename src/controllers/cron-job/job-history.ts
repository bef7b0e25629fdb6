import type { CronJob, CronJobStatus, Job } from "../../api/types/batch/v1.js";
import type { ObjectReference } from "../../api/types/core/v1.js";
import { finishedCondition } from "../job/job-conditions.js";

/** The finished jobs above the CronJob's history limits, the oldest first. */
export function jobsToDelete({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  return [
    ...beyond(spec.successfulJobsHistoryLimit, ofType(jobs, "Complete")),
    ...beyond(spec.failedJobsHistoryLimit, ofType(jobs, "Failed")),
  ];
}

const ofType = (jobs: readonly Job[], type: string): readonly Job[] =>
  jobs.filter((job) => finishedCondition(job)?.type === type);

function beyond(limit: number | undefined, jobs: readonly Job[]): readonly Job[] {
  if (limit === undefined || jobs.length <= limit) return [];
  return [...jobs].sort(byStart).slice(0, jobs.length - limit);
}

/** Those that have not started go last. */
function byStart(a: Job, b: Job): number {
  const [first, second] = [a, b].map(({ status }) => status?.startTime ?? undefined);
  if (first !== second) return first === undefined ? 1 : second === undefined || first < second ? -1 : 1;
  return (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1;
}

export function withoutActive(status: CronJobStatus, uid: string | undefined): CronJobStatus {
  return withActive(
    status,
    (status.active ?? []).filter((reference) => reference.uid !== uid),
  );
}

export function withActive(status: CronJobStatus, active: readonly ObjectReference[]): CronJobStatus {
  const { active: _, ...others } = status;
  return active.length === 0 ? others : { ...others, active: [...active] };
}

export interface SeenJobs {
  readonly status: CronJobStatus;
  /** Active jobs that have finished since. */
  readonly finished: readonly Job[];
  /** Jobs that run although the status does not list them. */
  readonly unexpected: readonly Job[];
  /** References to jobs that are not among these. */
  readonly missing: readonly ObjectReference[];
}

/** Updates the status of a CronJob by its jobs. */
export function seeJobs(status: CronJobStatus, jobs: readonly Job[]): SeenJobs {
  const active = new Set((status.active ?? []).map(({ uid }) => uid));
  const known = new Set(jobs.map(({ metadata }) => metadata?.uid));
  const finished: Job[] = [];
  const unexpected: Job[] = [];
  let after = status;
  for (const job of jobs) {
    const end = finishedCondition(job);
    const listed = active.has(job.metadata?.uid);
    if (end === undefined) {
      if (!listed) unexpected.push(job);
      continue;
    }
    if (listed) {
      finished.push(job);
      after = withoutActive(after, job.metadata?.uid);
    }
    const { completionTime } = job.status ?? {};
    if (end.type !== "Complete" || completionTime == null) continue;
    const last = after.lastSuccessfulTime;
    if (last == null || last < completionTime) after = { ...after, lastSuccessfulTime: completionTime };
  }
  return { status: after, finished, unexpected, missing: (status.active ?? []).filter(({ uid }) => !known.has(uid)) };
}
