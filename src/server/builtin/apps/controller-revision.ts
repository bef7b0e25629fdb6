import type { ControllerRevision } from "../../../api/types/apps/v1.js";
import { parseGroupVersion } from "../../../machinery/meta/gvk.js";
import { number, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const controllerRevisionRecord: RecordOf<ControllerRevision> = {
  group: "apps",
  resource: "controllerrevisions",
  strategy: {
    columns: columns(
      [
        "Name",
        ["Controller", "The kind and name of the workload that the revision belongs to."],
        ["Revision", "The number of the revision; a higher one is newer."],
        "Age",
      ],
      (revision, now) => [name(revision), controllerCell(revision), number(revision.revision), age(revision, now)],
    ),
  },
};

function controllerCell(object_: ReceivedObject<ControllerRevision>): string {
  const owner = object_.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return "<none>";
  const { group } = parseGroupVersion(owner.apiVersion);
  return `${(group === "" ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
}
