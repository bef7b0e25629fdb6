import type { CronJob } from "../../../api/types/batch/v1.js";
import { validateCronJob, validateCronJobUpdate } from "../../../api/validation/batch/cron-job.js";
import { jobSpecWarnings } from "../../../api/validation/batch/job-warnings.js";
import { podNameWarnings } from "../../../api/validation/pod/pod-warnings.js";
import { list, object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, containerCells, name, selectorCell, since } from "../tables/cells.js";
import { columns, WIDE_TEMPLATE } from "../tables/columns.js";

const templateWarnings = (cronJob: ReceivedObject<CronJob>) =>
  jobSpecWarnings(object(object(object(cronJob.spec).jobTemplate).spec), "spec.jobTemplate.spec");

/** The path has "spec" twice in Kubernetes too. */
const ZONE_IN_SCHEDULE =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

export const cronJobRecord: RecordOf<CronJob> = {
  group: "batch",
  resource: "cronjobs",
  strategy: {
    hasGeneration: true,
    validate: validateCronJob,
    validateUpdate: validateCronJobUpdate,
    warningsOnCreate: (cronJob) => [...podNameWarnings(cronJob.metadata?.name ?? ""), ...templateWarnings(cronJob)],
    warningsOnUpdate: (cronJob, old) => [
      ...(cronJob.metadata?.generation === old.metadata?.generation ? [] : templateWarnings(cronJob)),
      ...(text(object(cronJob.spec).schedule).includes("TZ") ? [ZONE_IN_SCHEDULE] : []),
    ],
    columns: columns(
      [
        "Name",
        ["Schedule", "When jobs are made, as cron writes it."],
        ["Timezone", "The time zone that the schedule is in."],
        ["Suspend:boolean", "Whether no jobs are made for now."],
        ["Active:integer", "How many of its jobs run."],
        ["Last Schedule", "How long ago a job was last made."],
        "Age",
        ...WIDE_TEMPLATE,
      ],
      (cronJob, now) => {
        const [spec, status] = [object(cronJob.spec), object(cronJob.status)];
        const jobSpec = object(object(spec.jobTemplate).spec);
        return [
          name(cronJob),
          text(spec.schedule),
          spec.timeZone === undefined ? "<none>" : text(spec.timeZone),
          spec.suspend === undefined ? "<unset>" : spec.suspend === true ? "True" : "False",
          list(status.active).length,
          status.lastScheduleTime === undefined ? "<none>" : since(status.lastScheduleTime, now),
          age(cronJob, now),
          ...containerCells(object(object(jobSpec.template).spec)),
          selectorCell(jobSpec.selector),
        ];
      },
    ),
  },
};
