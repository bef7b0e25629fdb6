import { validateReplicaSetStatus } from "../../../api/validation/apps/workload-status.js";
import { validateReplicaSet, validateReplicaSetUpdate } from "../../../api/validation/apps/workloads.js";
import { object } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { dropping, namedTemplateWarnings, onChange, templateWarnings } from "../core/pods/templated-pods.js";
import { containerCells, selectorCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { REPLICA_COLUMNS, replicaCells, templateSpec } from "../tables/workload-cells.js";

export const replicaSetRecord: ResourceRecord = {
  group: "apps",
  resource: "replicasets",
  strategy: {
    hasGeneration: true,
    ...dropping,
    validate: validateReplicaSet,
    validateUpdate: validateReplicaSetUpdate,
    validateStatusUpdate: validateReplicaSetStatus,
    warningsOnCreate: namedTemplateWarnings,
    warningsOnUpdate: onChange(templateWarnings),
    columns: columns(REPLICA_COLUMNS, (set, now) => [
      ...replicaCells(set, now),
      ...containerCells(templateSpec(set)),
      selectorCell(object(set.spec).selector),
    ]),
  },
};
