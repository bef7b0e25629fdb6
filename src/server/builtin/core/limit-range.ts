import { validateLimitRange } from "../../../api/validation/core/limit-range.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";

export const limitRangeRecord: ResourceRecord = {
  group: "",
  resource: "limitranges",
  strategy: {
    ...checked(validateLimitRange),
    allowCreateOnUpdate: true,
  },
};
