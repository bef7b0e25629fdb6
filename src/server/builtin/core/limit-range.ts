import type { LimitRange } from "../../../api/types/core/v1.js";
import { validateLimitRange } from "../../../api/validation/core/limit-range.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";

export const limitRangeRecord: RecordOf<LimitRange> = {
  group: "",
  resource: "limitranges",
  strategy: {
    ...checked(validateLimitRange),
    allowCreateOnUpdate: true,
  },
};
