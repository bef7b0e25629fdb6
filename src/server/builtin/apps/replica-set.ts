import type { ReplicaSet } from "../../../api/types/apps/v1.js";
import { validateReplicaSetStatus } from "../../../api/validation/apps/workload-status.js";
import { validateReplicaSet, validateReplicaSetUpdate } from "../../../api/validation/apps/workloads.js";
import { object } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { namedTemplateWarnings, onChange, templateWarnings } from "../core/pods/templated-pods.js";
import { containerCells, selectorCell } from "../tables/cells.js";
import { columns, REPLICA_COLUMNS, replicaCells, templateSpec } from "../tables/columns.js";

export const replicaSetRecord: RecordOf<ReplicaSet> = {
  group: "apps",
  resource: "replicasets",
  strategy: {
    hasGeneration: true,
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
