import type { CronJob } from "../../api/types/batch/v1.js";
import { objectKey } from "../../client/informers/index.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { Controller } from "../../client/manager/index.js";
import type { ControllerContext } from "../context.js";
import { controlledObjects } from "../owned-pods/controller-ref.js";
import { CRON_JOB_KIND, scheduleOf, CronJobReconciler } from "./cron-job-reconciler.js";
import { nextStartIn } from "./due-times.js";

/** Makes jobs when the schedules of CronJobs say so. */
export function cronJobController(context: ControllerContext): void {
  const { client, clock, manager } = context;
  const jobs = controlledObjects(manager.informers.of("batch/v1", "Job"));
  const recorder = context.recorder({ component: "cronjob-controller" });
  const reconciler = new CronJobReconciler({
    client,
    clock,
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
