import { validateCsiDriver, validateCsiDriverUpdate } from "../../../api/validation/csi.js";
import { list, object, objects, text } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const csiDriverRecord: ResourceRecord = {
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
        "AttachRequired:boolean",
        "PodInfoOnMount:boolean",
        "StorageCapacity:boolean",
        "TokenRequests",
        "RequiresRepublish:boolean",
        "Modes",
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
