import type { Deployment } from "../../../api/types/apps/v1.js";
import { validateDeploymentStatus } from "../../../api/validation/apps/workload-status.js";
import { validateDeployment, validateDeploymentUpdate } from "../../../api/validation/apps/workloads.js";
import { number, object } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { namedTemplateWarnings, onChange, templateWarnings } from "../core/pods/templated-pods.js";
import { age, containerCells, name, selectorCell } from "../tables/cells.js";
import { columns, WIDE_TEMPLATE, templateSpec } from "../tables/columns.js";

export const deploymentRecord: RecordOf<Deployment> = {
  group: "apps",
  resource: "deployments",
  strategy: {
    hasGeneration: true,
    validate: validateDeployment,
    validateUpdate: validateDeploymentUpdate,
    validateStatusUpdate: validateDeploymentStatus,
    warningsOnCreate: namedTemplateWarnings,
    warningsOnUpdate: onChange(templateWarnings),
    columns: columns(
      [
        "Name",
        ["Ready", "How many pods are ready, and how many the spec asks for."],
        ["Up-to-date", "How many pods have the present template."],
        ["Available", "How many pods have been ready for long enough."],
        "Age",
        ...WIDE_TEMPLATE,
      ],
      (deployment, now) => {
        const [spec, status] = [object(deployment.spec), object(deployment.status)];
        return [
          name(deployment),
          `${number(status.readyReplicas)}/${number(spec.replicas)}`,
          number(status.updatedReplicas),
          number(status.availableReplicas),
          age(deployment, now),
          ...containerCells(templateSpec(deployment)),
          selectorCell(spec.selector),
        ];
      },
    ),
  },
};
