import { validateCsiStorageCapacity, validateCsiStorageCapacityUpdate } from "../../../api/validation/storage/csi.js";
import { text } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { name, quantityCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const csiStorageCapacityRecord: ResourceRecord = {
  group: "storage.k8s.io",
  resource: "csistoragecapacities",
  strategy: {
    allowUnconditionalUpdate: false,
    validate: validateCsiStorageCapacity,
    validateUpdate: validateCsiStorageCapacityUpdate,
    columns: columns(
      [
        "Name",
        ["StorageClassName", "The class that the capacity is for."],
        ["Capacity", "How much can be stored still."],
      ],
      (capacity) => [
        name(capacity),
        text(capacity.storageClassName),
        capacity.capacity === undefined ? "<unset>" : quantityCell(capacity.capacity),
      ],
    ),
  },
};
