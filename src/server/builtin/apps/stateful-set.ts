import { claimSpecWarnings } from "../../../api/validation/pod/pod-warnings.js";
import { validateStatefulSetStatus } from "../../../api/validation/apps/workload-status.js";
import { validateStatefulSet, validateStatefulSetUpdate } from "../../../api/validation/apps/workloads.js";
import { child, type Fields, number, object, objects } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { dropDisabledFields } from "../core/pods/disabled-fields.js";
import { onChange, podSpecOf, templateWarnings } from "../core/pods/templated-pods.js";
import { age, containerCells, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { templateSpec } from "../tables/workload-cells.js";

export const statefulSetRecord: ResourceRecord = {
  group: "apps",
  resource: "statefulsets",
  strategy: {
    hasGeneration: true,
    prepareForCreate(draft) {
      dropMaxUnavailable(draft, undefined);
      dropDisabledFields(podSpecOf(draft));
    },
    prepareForUpdate(draft, old) {
      dropMaxUnavailable(draft, old);
      dropDisabledFields(podSpecOf(draft), podSpecOf(old));
    },
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

/** The field is off in 1.36 until a set has it. */
function dropMaxUnavailable(draft: KubeObject, old: KubeObject | undefined): void {
  const rolling = (set: KubeObject | undefined) => object(object(object(set?.spec).updateStrategy).rollingUpdate);
  if (rolling(old).maxUnavailable !== undefined) return;
  const own = child(child((draft.spec ?? {}) as Fields, "updateStrategy") ?? {}, "rollingUpdate");
  delete own?.maxUnavailable;
}

function statefulSetWarnings(set: KubeObject, specPath: string): string[] {
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
