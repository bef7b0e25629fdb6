import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Conversion } from "../../../machinery/scheme/registration.js";
import { convertPodTemplate } from "../core/pod-template.js";
import { withChild } from "../with-child.js";

/** batch/v1beta1 and batch/v1 are alike. */
export const cronJob: Conversion = { toHub: convert, fromHub: convert };

function convert(cronJob: KubeObject): KubeObject {
  return withChild(cronJob, "spec", (spec) =>
    withChild(spec, "jobTemplate", (template) =>
      withChild(template, "spec", (job) => withChild(job, "template", convertPodTemplate)),
    ),
  );
}
