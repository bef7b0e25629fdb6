import type { CSIDriver, CSINode, CSIStorageCapacity } from "../../../api/types/storage/v1.js";
import {
  validateCsiDriver,
  validateCsiDriverUpdate,
  validateCsiNode,
  validateCsiNodeUpdate,
  validateCsiStorageCapacity,
  validateCsiStorageCapacityUpdate,
} from "../../../api/validation/storage/csi.js";
import { list, object, objects, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name, quantityCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const csiDriverRecord: RecordOf<CSIDriver> = {
  group: "storage.k8s.io",
  resource: "csidrivers",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    validate: validateCsiDriver,
    validateUpdate: validateCsiDriverUpdate,
    columns: columns(
      [
        "Name",
        ["AttachRequired:boolean", "Whether volumes are attached to nodes before they are mounted."],
        ["PodInfoOnMount:boolean", "Whether the driver is given the pod that mounts a volume."],
        ["StorageCapacity:boolean", "Whether the scheduler heeds the capacity that the driver reports."],
        ["TokenRequests", "The audiences of the tokens of pods that the driver is given."],
        ["RequiresRepublish:boolean", "Whether the driver is called again and again for a mounted volume."],
        ["Modes", "Whether volumes outlive pods, are made for a pod, or both."],
        "Age",
      ],
      (driver, now) => {
        const spec = object(driver.spec);
        const audiences = objects(spec.tokenRequests).map((request) => text(request.audience));
        return [
          name(driver),
          spec.attachRequired !== false,
          spec.podInfoOnMount === true,
          spec.storageCapacity === true,
          spec.tokenRequests === undefined ? "<unset>" : audiences.join(","),
          spec.requiresRepublish === true,
          list(spec.volumeLifecycleModes).map(text).join(",") || "<none>",
          age(driver, now),
        ];
      },
    ),
  },
};

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
