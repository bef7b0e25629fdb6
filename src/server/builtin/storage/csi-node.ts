import type { CSINode } from "../../../api/types/storage/v1.js";
import { validateCsiNode, validateCsiNodeUpdate } from "../../../api/validation/storage/csi.js";
import { list, object } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const csiNodeRecord: RecordOf<CSINode> = {
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
