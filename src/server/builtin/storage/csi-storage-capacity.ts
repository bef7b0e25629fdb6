import type { CSIStorageCapacity } from "../../../api/types/storage/v1.js";
import { validateCsiStorageCapacity, validateCsiStorageCapacityUpdate } from "../../../api/validation/storage/csi.js";
import { text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { name, quantityCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const csiStorageCapacityRecord: RecordOf<CSIStorageCapacity> = {
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
