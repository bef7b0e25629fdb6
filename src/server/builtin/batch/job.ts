import { defaultJob } from "../../../api/defaults/workloads.js";
import { validateJobSpec, validateJobUpdate } from "../../../api/validation/workloads.js";
import { ensureChild, number, object } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Strategy } from "../../registry/strategy.js";

export const jobStrategy: Strategy = {
  applyDefaults: defaultJob,
  prepareForCreate(draft) {
    if (object(draft.spec).manualSelector !== true) generateSelector(draft);
  },
  validate: (job) => validateJobSpec(object(job.spec), "spec"),
  validateUpdate: (job, old) => [...validateJobSpec(object(job.spec), "spec"), ...validateJobUpdate(job, old)],
  fieldLabels: ["status.successful"],
  fieldLabelRefusal: (label) => `field label "${label}" not supported for Job`,
  fields: (job) => ({ "status.successful": String(number(object(job.status).succeeded)) }),
};

/** A job owns the pods that carry its uid; the labels have an old and a new name each. */
function generateSelector(job: KubeObject): void {
  const template = ensureChild(ensureChild(job, "spec"), "template");
  const labels = ensureChild(ensureChild(template, "metadata"), "labels");
  const { name = "", uid = "" } = job.metadata ?? {};
  for (const prefix of ["batch.kubernetes.io/", ""]) {
    labels[`${prefix}controller-uid`] = uid;
    labels[`${prefix}job-name`] = name;
  }
  const selector = ensureChild(ensureChild(job, "spec"), "selector");
  ensureChild(selector, "matchLabels")["batch.kubernetes.io/controller-uid"] ??= uid;
}
