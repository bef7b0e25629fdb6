import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Preconditions } from "../../api/types/meta/v1.js";
import type { Job } from "../../api/types/batch/v1.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { finishedCondition } from "../job/job-conditions.js";

/** Deletes finished jobs and their dependents when ttlSecondsAfterFinished have passed. */
export function ttlAfterFinished({ client, manager, clock }: ControllerContext): void {
  const jobs = client.of("batch/v1", "Job");
  manager
    .controllerFor("batch/v1", "Job", { when: (job) => expiresIn(job, 0) !== undefined })
    .named("ttl-after-finished-controller")
    .workers(5)
    .reconcile(async ({ namespace, name, object: job }) => {
      const wait = job && expiresIn(job, clock.now());
      if (job === undefined || wait === undefined) return;
      if (wait > 0) return { requeueAfterMilliseconds: wait };
      const { uid, resourceVersion } = job.metadata ?? {};
      try {
        // Of this very version: its TTL may have been changed since.
        const preconditions = { uid, resourceVersion } satisfies FieldsOf<Preconditions>;
        await jobs.namespace(namespace).delete(name, { propagationPolicy: "Foreground", preconditions });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    });
}

/** The milliseconds until the job must be deleted, 0 when it is due; undefined for a job that stays. */
export function expiresIn(job: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished: seconds } = job.spec ?? {};
  const finished = finishedCondition(job)?.lastTransitionTime;
  if (seconds === undefined || finished == null || job.metadata?.deletionTimestamp !== undefined) return undefined;
  return Math.max(0, Date.parse(finished) + seconds * 1000 - now);
}
