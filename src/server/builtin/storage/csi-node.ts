import { validateCsiNode, validateCsiNodeUpdate } from "../../../api/validation/storage/csi.js";
import { list, object } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const csiNodeRecord: ResourceRecord = {
  group: "storage.k8s.io",
  resource: "csinodes",
  strategy: {
    allowUnconditionalUpdate: false,
    validate: validateCsiNode,
    validateUpdate: validateCsiNodeUpdate,
    columns: columns(["Name", ["Drivers:integer", "How many drivers the node has."], "Age"], (node, now) => [
      name(node),
      list(object(node.spec).drivers).length,
      age(node, now),
    ]),
  },
};
