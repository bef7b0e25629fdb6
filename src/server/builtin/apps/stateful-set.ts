import type { StatefulSet } from "../../../api/types/apps/v1.js";
import { validateStatefulSetStatus } from "../../../api/validation/apps/workload-status.js";
import { validateStatefulSet, validateStatefulSetUpdate } from "../../../api/validation/apps/workloads.js";
import { claimSpecWarnings } from "../../../api/validation/pod/pod-warnings.js";
import { number, object, objects, type ReceivedObject } from "../../../machinery/meta/received.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { onChange, templateWarnings } from "../core/pods/templated-pods.js";
import { age, containerCells, name } from "../tables/cells.js";
import { columns, templateSpec } from "../tables/columns.js";

export const statefulSetRecord: RecordOf<StatefulSet> = {
  group: "apps",
  resource: "statefulsets",
  strategy: {
    hasGeneration: true,
    validateName: dns1123LabelErrors,
    validate: validateStatefulSet,
    validateUpdate: validateStatefulSetUpdate,
    validateStatusUpdate: validateStatefulSetStatus,
    warningsOnCreate: (set) => [...templateWarnings(set), ...statefulSetWarnings(set, "")],
    warningsOnUpdate: (set, old) => [...onChange(templateWarnings)(set, old), ...statefulSetWarnings(set, ".Spec")],
    columns: columns(
      [
        "Name",
        ["Ready", "How many pods are ready, and how many the spec asks for."],
        "Age",
        "Containers:string:1",
        "Images:string:1",
      ],
      (set, now) => [
        name(set),
        `${number(object(set.status).readyReplicas)}/${number(object(set.spec).replicas)}`,
        age(set, now),
        ...containerCells(templateSpec(set)),
      ],
    ),
  },
};

function statefulSetWarnings(set: ReceivedObject<StatefulSet>, specPath: string): string[] {
  const spec = object(set.spec);
  const warnings = objects(spec.volumeClaimTemplates).flatMap((claim, index) =>
    claimSpecWarnings(object(claim.spec), `spec.volumeClaimTemplates[${index}]${specPath}`),
  );
  if (number(spec.revisionHistoryLimit) < 0) {
    const why = "a negative value retains all historical revisions; a value >= 0 is recommended";
    warnings.push(`spec.revisionHistoryLimit: ${why}`);
  }
  return warnings;
}
