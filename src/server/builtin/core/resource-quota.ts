import type { ResourceQuota } from "../../../api/types/core/v1.js";
import {
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from "../../../api/validation/core/resource-quota.js";
import { object } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name, quantityCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const resourceQuotaRecord: RecordOf<ResourceQuota> = {
  group: "",
  resource: "resourcequotas",
  strategy: {
    validate: validateResourceQuota,
    validateUpdate: validateResourceQuotaUpdate,
    validateStatusUpdate: validateResourceQuotaStatus,
    allowCreateOnUpdate: true,
    columns: columns(
      [
        "Name",
        ["Request", "What is used and allowed of each resource but limits."],
        ["Limit", "What is used and allowed of the sums of limits."],
        "Age",
      ],
      (quota, now) => {
        const { hard, used } = object(quota.status);
        const [requests, limits]: [string[], string[]] = [[], []];
        for (const resource of Object.keys(object(hard)).sort()) {
          const amounts = `${quantityCell(object(used)[resource])}/${quantityCell(object(hard)[resource])}`;
          (resource.startsWith("limits.") ? limits : requests).push(`${resource}: ${amounts}`);
        }
        return [name(quota), requests.join(", "), limits.join(", "), age(quota, now)];
      },
    ),
  },
};
