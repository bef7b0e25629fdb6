import type { VolumeAttributesClass } from "../../../api/types/storage/v1.js";
import {
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from "../../../api/validation/storage/storage-class.js";
import { text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

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
