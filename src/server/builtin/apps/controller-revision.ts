import { number } from "../../../machinery/meta/access.js";
import { parseGroupVersion } from "../../../machinery/meta/gvk.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const controllerRevisionRecord: ResourceRecord = {
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

function controllerCell(object_: KubeObject): string {
  const owner = object_.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return "<none>";
  const { group } = parseGroupVersion(owner.apiVersion);
  return `${(group === "" ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
}
