import {
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from "../../../api/validation/storage-class.js";
import { text } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { withDefaultMark } from "./default-mark.js";

export const volumeAttributesClassRecord: ResourceRecord = {
  group: "storage.k8s.io",
  resource: "volumeattributesclasses",
  strategy: {
    validate: validateVolumeAttributesClass,
    validateUpdate: validateVolumeAttributesClassUpdate,
    columns: columns(["Name", "DriverName", "Age"], (attributes, now) => [
      withDefaultMark(attributes, ["volumeattributesclass.alpha.kubernetes.io/is-default-class"]),
      text(attributes.driverName),
      age(attributes, now),
    ]),
  },
};
