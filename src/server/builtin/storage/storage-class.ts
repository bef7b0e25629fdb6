import type { StorageClass } from "../../../api/types/storage/v1.js";
import {
  storageClassWarnings,
  validateStorageClass,
  validateStorageClassUpdate,
} from "../../../api/validation/storage/storage-class.js";
import { text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { warned } from "../rules.js";
import { age } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { withDefaultMark } from "./default-mark.js";

export const storageClassRecord: RecordOf<StorageClass> = {
  group: "storage.k8s.io",
  resource: "storageclasses",
  strategy: {
    ...warned(storageClassWarnings),
    validate: validateStorageClass,
    validateUpdate: validateStorageClassUpdate,
    columns: columns(
      [
        "Name",
        ["Provisioner", "The driver that makes volumes of the class."],
        ["ReclaimPolicy", "What becomes of a volume when its claim is deleted."],
        ["VolumeBindingMode", "Whether volumes are bound at once or when a pod needs them."],
        ["AllowVolumeExpansion", "Whether claims may ask for more later."],
        "Age",
      ],
      (storageClass, now) => [
        withDefaultMark(storageClass, [
          "storageclass.kubernetes.io/is-default-class",
          "storageclass.beta.kubernetes.io/is-default-class",
        ]),
        text(storageClass.provisioner),
        text(storageClass.reclaimPolicy) || "Delete",
        text(storageClass.volumeBindingMode) || "Immediate",
        storageClass.allowVolumeExpansion === true,
        age(storageClass, now),
      ],
    ),
  },
};
