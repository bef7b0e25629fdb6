import { validateCronJob, validateCronJobUpdate } from "../../../api/validation/cron-job.js";
import { jobSpecWarnings } from "../../../api/validation/job-warnings.js";
import { podNameWarnings } from "../../../api/validation/pod-warnings.js";
import { child, type Fields, object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Strategy } from "../../registry/strategy.js";
import { dropDisabledFields } from "../core/disabled-fields.js";

const templateWarnings = (cronJob: KubeObject) =>
  jobSpecWarnings(object(object(object(cronJob.spec).jobTemplate).spec), "spec.jobTemplate.spec");

/** The path has "spec" twice in Kubernetes too. */
const ZONE_IN_SCHEDULE =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

function podSpec(cronJob: KubeObject): Fields | undefined {
  const job = child(child((cronJob.spec ?? {}) as Fields, "jobTemplate") ?? {}, "spec");
  return child(child(job ?? {}, "template") ?? {}, "spec");
}

export const cronJobStrategy: Strategy = {
  prepareForCreate: (draft) => dropDisabledFields(podSpec(draft)),
  prepareForUpdate: (draft, old) => dropDisabledFields(podSpec(draft), podSpec(old)),
  validate: validateCronJob,
  validateUpdate: validateCronJobUpdate,
  warningsOnCreate: (cronJob) => [...podNameWarnings(cronJob.metadata?.name ?? ""), ...templateWarnings(cronJob)],
  warningsOnUpdate: (cronJob, old) => [
    ...(cronJob.metadata?.generation === old.metadata?.generation ? [] : templateWarnings(cronJob)),
    ...(text(object(cronJob.spec).schedule).includes("TZ") ? [ZONE_IN_SCHEDULE] : []),
  ],
};
