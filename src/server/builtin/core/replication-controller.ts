import { validateReplicationControllerStatus } from "../../../api/validation/apps/workload-status.js";
import {
  validateReplicationController,
  validateReplicationControllerUpdate,
} from "../../../api/validation/apps/workloads.js";
import { number, object } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { containerCells, labelsCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { REPLICA_COLUMNS, replicaCells, templateSpec } from "../tables/workload-cells.js";
import { dropping, namedTemplateWarnings, onChange, templateWarnings } from "./pods/templated-pods.js";

export const replicationControllerRecord: ResourceRecord = {
  group: "",
  resource: "replicationcontrollers",
  storage: { prefix: "controllers" },
  strategy: {
    hasGeneration: true,
    ...dropping,
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
