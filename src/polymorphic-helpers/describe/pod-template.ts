import type { PodTemplateSpec } from "../../api/types/core/v1.js";
import { isStruct, object, objects, type Received, text } from "../../machinery/meta/received.js";
import { describeContainers } from "./containers.js";
import type { DescriptionWriter } from "./description.js";
import { texts } from "./go-fields.js";
import { describeAnnotations, describeLabels } from "./labels.js";
import { describeSchedulingGroup, describeTolerations, describeTopologySpread } from "./scheduling.js";
import { describeVolumes } from "./volumes.js";

const INDENT = "  ";

/** Describes the pod template of any workload. */
export function describePodTemplate(
  description: DescriptionWriter,
  template: Received<PodTemplateSpec> | null | undefined,
): void {
  description.write(0, "Pod Template:\n");
  if (!isStruct(template)) {
    // No line break: kubectl's own.
    description.write(1, "<unset>");
    return;
  }
  const [metadata, spec] = [object(template.metadata), object(template.spec)];
  describeLabels(description, "  Labels", texts(metadata.labels));
  if (Object.keys(texts(metadata.annotations)).length > 0) {
    describeAnnotations(description, "  Annotations", texts(metadata.annotations));
  }
  if (text(spec.serviceAccountName) !== "") {
    description.write(1, `Service Account:\t${text(spec.serviceAccountName)}\n`);
  }
  if (objects(spec.initContainers).length > 0) {
    describeContainers(description, { label: "Init Containers", containers: spec.initContainers, indent: INDENT });
  }
  describeContainers(description, { label: "Containers", containers: spec.containers, indent: INDENT });
  describeVolumes(description, spec.volumes, INDENT);
  describeTopologySpread(description, spec.topologySpreadConstraints, INDENT);
  if (text(spec.priorityClassName) !== "") {
    description.write(1, `Priority Class Name:\t${text(spec.priorityClassName)}\n`);
  }
  describeLabels(description, "  Node-Selectors", texts(spec.nodeSelector));
  describeTolerations(description, "  Tolerations", spec.tolerations);
  describeSchedulingGroup(description, spec.schedulingGroup, INDENT);
}
