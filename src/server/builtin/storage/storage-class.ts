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
import type { TableColumns } from "../../registry/table-columns.js";
import { columns } from "../tables/columns.js";
import type { IngressClass } from "../../../api/types/networking/v1.js";

export const storageClassRecord: RecordOf<StorageClass> = {
  group: "storage.k8s.io",
  resource: "storageclasses",
  strategy: {
    ...warned(storageClassWarnings),
    validate: validateStorageClass,
    validateUpdate: validateStorageClassUpdate,
    columns: storageClassColumns(isDefault),
    // K37-119: Kubernetes 1.37 marks the one default that is in effect.
    columnsAt: (_, release) => (release.atLeast("1.37") ? WITH_ONE_DEFAULT : undefined),
  },
};

type IsDefault = (storageClass: ReceivedObject<StorageClass>) => boolean;

function storageClassColumns(isMarked: IsDefault): TableColumns<ReceivedObject<StorageClass>> {
  return columns(
    [
      "Name",
      ["Provisioner", "The driver that makes volumes of the class."],
      ["ReclaimPolicy", "What becomes of a volume when its claim is deleted."],
      ["VolumeBindingMode", "Whether volumes are bound at once or when a pod needs them."],
      ["AllowVolumeExpansion", "Whether claims may ask for more later."],
      "Age",
    ],
    (storageClass, now) => [
      isMarked(storageClass) ? `${name(storageClass)} (default)` : name(storageClass),
      text(storageClass.provisioner),
      text(storageClass.reclaimPolicy) || "Delete",
      text(storageClass.volumeBindingMode) || "Immediate",
      storageClass.allowVolumeExpansion === true,
      age(storageClass, now),
    ],
  );
}

const WITH_ONE_DEFAULT: TableColumns<ReceivedObject<StorageClass>> = {
  ...storageClassColumns(isDefault),
  among(classes) {
    const inEffect = defaultInEffect(classes);
    return storageClassColumns((one) => one.metadata?.name === inEffect);
  },
};

function isDefault(storageClass: ReceivedObject<StorageClass>): boolean {
  return ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"].some(
    (annotation) => storageClass.metadata?.annotations?.[annotation] === "true",
  );
}

/** The name of the default that was created last; of several the first by name. Undefined where there is no default. */
function defaultInEffect(classes: readonly ReceivedObject<StorageClass>[]): string | undefined {
  const created = (one: ReceivedObject<StorageClass>): number => Date.parse(one.metadata?.creationTimestamp ?? "") || 0;
  const [first] = classes.filter(isDefault).toSorted((a, b) => created(b) - created(a) || (name(a) < name(b) ? -1 : 1));
  return first?.metadata?.name;
}

/** The name of a class, marked when one of these annotations makes it the default. */
export function withDefaultMark(class_: ReceivedObject<IngressClass>, annotations: readonly string[]): string {
  const marked = annotations.some((annotation) => class_.metadata?.annotations?.[annotation] === "true");
  return marked ? `${name(class_)} (default)` : name(class_);
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
