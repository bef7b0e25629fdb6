import type { DeviceClass } from "../../../api/types/resource/v1.js";
import { validateDeviceClass } from "../../../api/validation/resource/device-claim.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { NAME_AND_AGE, columns } from "../tables/columns.js";
import type { DeviceTaintRule } from "../../../api/types/resource/v1beta2.js";
import { object, text } from "../../../machinery/meta/received.js";
import { age, name, since } from "../tables/cells.js";

export const deviceClassRecord: RecordOf<DeviceClass> = {
  group: "resource.k8s.io",
  resource: "deviceclasses",
  strategy: {
    hasGeneration: true,
    ...checked(validateDeviceClass),
    columns: NAME_AND_AGE,
  },
};

export const deviceTaintRuleRecord: RecordOf<DeviceTaintRule> = {
  group: "resource.k8s.io",
  resource: "devicetaintrules",
  strategy: {
    hasGeneration: true,
    columns: columns(
      [
        "Name",
        ["Key", "The key of the taint."],
        ["Value", "The value of the taint."],
        ["Effect", "What the taint does to pods that use, or would use, the devices."],
        ["TimeAdded", "How long ago the taint was set."],
        "Age",
      ],
      (rule, now) => {
        const taint = object(object(rule.spec).taint);
        return [
          name(rule),
          text(taint.key),
          text(taint.value),
          text(taint.effect),
          taint.timeAdded === undefined ? "" : since(taint.timeAdded, now),
          age(rule, now),
        ];
      },
    ),
  },
};
