import type { PodTemplateSpec } from "../../../../api/types/core/v1.js";
import { podNameWarnings, podTemplateWarnings } from "../../../../api/validation/pod/pod-warnings.js";
import type { ApiObject } from "../../../../machinery/meta/object.js";
import { object, type ReceivedObject } from "../../../../machinery/meta/received.js";

/** What makes pods of a template. */
interface Templated {
  spec?: { template?: PodTemplateSpec };
}

const template = (workload: ReceivedObject<Templated>) => object(object(workload.spec).template);
export const templateWarnings = (workload: ReceivedObject<Templated>) =>
  podTemplateWarnings(template(workload), "spec.template");
export const namedTemplateWarnings = (workload: ReceivedObject<Templated>) => [
  ...podNameWarnings(workload.metadata?.name ?? ""),
  ...templateWarnings(workload),
];

/** Warns about an update only if it changes anything but metadata and status, which the generation tells: the registry has incremented it before. */
export const onChange =
  <Workload extends ApiObject>(warnings: (workload: Workload) => string[]) =>
  (workload: Workload, old: Workload): string[] =>
    workload.metadata?.generation === old.metadata?.generation ? [] : warnings(workload);
