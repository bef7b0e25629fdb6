import type { StorageClass, VolumeAttributesClass } from "../../../api/types/storage/v1.js";
import {
  storageClassWarnings,
  validateStorageClass,
  validateStorageClassUpdate,
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from "../../../api/validation/storage/storage-class.js";
import { text, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { warned } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import type { IngressClass } from "../../../api/types/networking/v1.js";

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

/** The name of a class, marked when one of these annotations makes it the default. */
export function withDefaultMark(
  object_: ReceivedObject<IngressClass | StorageClass>,
  annotations: readonly string[],
): string {
  const marked = annotations.some((annotation) => object_.metadata?.annotations?.[annotation] === "true");
  return marked ? `${name(object_)} (default)` : name(object_);
}

export const volumeAttributesClassRecord: RecordOf<VolumeAttributesClass> = {
  group: "storage.k8s.io",
  resource: "volumeattributesclasses",
  strategy: {
    validate: validateVolumeAttributesClass,
    validateUpdate: validateVolumeAttributesClassUpdate,
    columns: columns(["Name", ["DriverName", "The driver that applies the attributes."], "Age"], (attributes, now) => [
      name(attributes),
      text(attributes.driverName),
      age(attributes, now),
    ]),
  },
};
