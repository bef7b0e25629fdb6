import type { Job, JobSpec, JobStatus } from "../../../api/types/batch/v1.js";
import { validateJobStatusUpdate } from "../../../api/validation/batch/job-status.js";
import { jobSpecWarnings } from "../../../api/validation/batch/job-warnings.js";
import { validateJob, validateJobUpdate } from "../../../api/validation/batch/job.js";
import { podNameWarnings } from "../../../api/validation/pod/pod-warnings.js";
import { humanDuration } from "../../../machinery/text/duration/human-duration.js";
import { ensureChild, number, object, type Received, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, conditionStatus, containerCells, name, selectorCell } from "../tables/cells.js";
import { columns, WIDE_TEMPLATE, templateSpec } from "../tables/columns.js";

const PODS_ARE_KEPT =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

export const jobRecord: RecordOf<Job> = {
  group: "batch",
  resource: "jobs",
  strategy: {
    hasGeneration: true,
    prepareForCreate(draft) {
      if (object(draft.spec).manualSelector !== true) generateSelector(draft);
    },
    validate: validateJob,
    validateUpdate: validateJobUpdate,
    validateStatusUpdate: validateJobStatusUpdate,
    warningsOnCreate: (job) => [
      ...podNameWarnings(job.metadata?.name ?? ""),
      ...jobSpecWarnings(object(job.spec), "spec"),
    ],
    warningsOnUpdate: (job, old) =>
      job.metadata?.generation === old.metadata?.generation ? [] : jobSpecWarnings(object(job.spec), "spec"),
    garbageCollection: "Orphan",
    warningsOnDelete: ({ propagationPolicy, orphanDependents }) =>
      propagationPolicy === undefined && orphanDependents === undefined ? [PODS_ARE_KEPT] : [],
    fieldLabels: ["status.successful"],
    fieldLabelRefusal: (label) => `field label "${label}" not supported for Job`,
    fields: (job) => ({ "status.successful": String(number(object(job.status).succeeded)) }),
    columns: columns(
      [
        "Name",
        ["Status", "Whether it runs, is suspended, has completed or has failed."],
        ["Completions", "How many pods have succeeded, and how many have to."],
        ["Duration", "How long it has run, or ran until it completed."],
        "Age",
        ...WIDE_TEMPLATE,
      ],
      (job, now) => [
        name(job),
        jobStatus(job),
        jobCompletions(object(job.spec), object(job.status)),
        jobDuration(object(job.status), now),
        age(job, now),
        ...containerCells(templateSpec(job)),
        selectorCell(object(job.spec).selector),
      ],
    ),
  },
};

/** A job owns the pods that carry its uid; the labels have an old and a new name each. */
function generateSelector(job: ReceivedObject<Job>): void {
  const template = ensureChild(ensureChild(job, "spec"), "template");
  const labels = ensureChild(ensureChild(template, "metadata"), "labels");
  const { name = "", uid = "" } = job.metadata ?? {};
  for (const prefix of ["batch.kubernetes.io/", ""]) {
    labels[`${prefix}controller-uid`] ??= uid;
    labels[`${prefix}job-name`] ??= name;
  }
  const selector = ensureChild(ensureChild(job, "spec"), "selector");
  ensureChild(selector, "matchLabels")["batch.kubernetes.io/controller-uid"] ??= uid;
}

function jobStatus(job: ReceivedObject<Job>): string {
  const conditions = object(job.status).conditions;
  const holds = (type: string) => conditionStatus(conditions, type) === "True";
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (job.metadata?.deletionTimestamp !== undefined) return "Terminating";
  const running = ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(holds);
  return running ?? "Running";
}

function jobCompletions(spec: Received<JobSpec>, status: Received<JobStatus>): string {
  const succeeded = number(status.succeeded);
  if (spec.completions !== undefined) return `${succeeded}/${number(spec.completions)}`;
  const parallelism = number(spec.parallelism);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(status: Received<JobStatus>, now: number): string {
  if (typeof status.startTime !== "string") return "";
  const end = typeof status.completionTime === "string" ? Date.parse(status.completionTime) : now;
  return humanDuration(end - Date.parse(status.startTime));
}
