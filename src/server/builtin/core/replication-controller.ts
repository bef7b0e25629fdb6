import type { ReplicationController } from "../../../api/types/core/v1.js";
import { validateReplicationControllerStatus } from "../../../api/validation/apps/workload-status.js";
import {
  validateReplicationController,
  validateReplicationControllerUpdate,
} from "../../../api/validation/apps/workloads.js";
import { number, object } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { containerCells, labelsCell } from "../tables/cells.js";
import { columns, REPLICA_COLUMNS, replicaCells, templateSpec } from "../tables/columns.js";
import { namedTemplateWarnings, onChange, templateWarnings } from "./pods/templated-pods.js";

export const replicationControllerRecord: RecordOf<ReplicationController> = {
  group: "",
  resource: "replicationcontrollers",
  storage: { prefix: "controllers" },
  strategy: {
    hasGeneration: true,
    validate: validateReplicationController,
    validateUpdate: validateReplicationControllerUpdate,
    validateStatusUpdate: validateReplicationControllerStatus,
    warningsOnCreate: namedTemplateWarnings,
    warningsOnUpdate: onChange(templateWarnings),
    fieldLabels: ["status.replicas"],
    fields: (controller) => ({ "status.replicas": String(number(object(controller.status).replicas)) }),
    garbageCollection: "Orphan",
    columns: columns(REPLICA_COLUMNS, (controller, now) => [
      ...replicaCells(controller, now),
      ...containerCells(templateSpec(controller)),
      labelsCell(object(controller.spec).selector),
    ]),
  },
};
