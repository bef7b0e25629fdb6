import { defaultCronJob } from "../../defaults/workloads.js";
import type { VersionTable } from "../version-table.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Conversion } from "../../../machinery/scheme/scheme.js";
import { convertPodTemplate } from "../apps/workload.js";
import { withChild } from "../copies.js";

/** batch/v1beta1 and batch/v1 are alike. */
const cronJob: Conversion = { toHub: convert, fromHub: convert };

function convert(cronJob: KubeObject): KubeObject {
  return withChild(cronJob, "spec", (spec) =>
    withChild(spec, "jobTemplate", (template) =>
      withChild(template, "spec", (job) => withChild(job, "template", convertPodTemplate)),
    ),
  );
}

/** Converts batch/v1beta1. */
export const BATCH: VersionTable = {
  "batch/v1beta1/CronJob": { conversion: cronJob, applyDefaults: defaultCronJob },
};
