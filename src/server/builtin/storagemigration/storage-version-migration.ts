import type { GroupResource } from "../../../api/types/meta/v1.js";
import type {
  StorageVersionMigration,
  StorageVersionMigrationStatus,
} from "../../../api/types/storagemigration/v1beta1.js";
import { object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const storageVersionMigrationRecord: RecordOf<StorageVersionMigration> = {
  group: "storagemigration.k8s.io",
  resource: "storageversionmigrations",
  strategy: {
    columns: columns(
      [
        "Name:string:0:",
        ["Resource", "The resource whose objects are written again."],
        ["Status", "Whether the migration runs, has succeeded or has failed."],
      ],
      (migration) => [
        name(migration),
        resourceCell(object(object(migration.spec).resource)),
        statusCell(object(migration.status)),
      ],
    ),
  },
};

const resourceCell = ({ group, resource }: Received<GroupResource>): string =>
  text(group) === "" ? text(resource) : `${text(resource)}.${text(group)}`;

/** The last condition that holds. */
function statusCell(status: Received<StorageVersionMigrationStatus>): string {
  const holding = objects(status.conditions).filter((condition) => condition.status === "True");
  return holding.map(({ type }) => text(type)).findLast((type) => STATES.includes(type)) ?? "Unknown";
}

const STATES = ["Running", "Failed", "Succeeded"];
