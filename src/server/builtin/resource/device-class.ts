import type { DeviceClass } from "../../../api/types/resource/v1.js";
import { validateDeviceClass } from "../../../api/validation/resource/device-claim.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { NAME_AND_AGE } from "../tables/columns.js";

export const deviceClassRecord: RecordOf<DeviceClass> = {
  group: "resource.k8s.io",
  resource: "deviceclasses",
  strategy: {
    hasGeneration: true,
    ...checked(validateDeviceClass),
    columns: NAME_AND_AGE,
  },
};
