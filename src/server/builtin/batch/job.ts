import { validateJob, validateJobUpdate } from "../../../api/validation/job.js";
import { validateJobStatusUpdate } from "../../../api/validation/job-status.js";
import { jobSpecWarnings } from "../../../api/validation/job-warnings.js";
import { podNameWarnings } from "../../../api/validation/pod-warnings.js";
import { child, ensureChild, type Fields, number, object } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Strategy } from "../../registry/strategy.js";
import { dropDisabledFields } from "../core/disabled-fields.js";

const PODS_ARE_KEPT =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

export const jobStrategy: Strategy = {
  prepareForCreate(draft) {
    if (object(draft.spec).manualSelector !== true) generateSelector(draft);
    dropDisabledFields(podSpec(draft));
  },
  prepareForUpdate: (draft, old) => dropDisabledFields(podSpec(draft), podSpec(old)),
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
};

const podSpec = (job: KubeObject) => child(child((job.spec ?? {}) as Fields, "template") ?? {}, "spec");

/** A job owns the pods that carry its uid; the labels have an old and a new name each. */
function generateSelector(job: KubeObject): void {
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
