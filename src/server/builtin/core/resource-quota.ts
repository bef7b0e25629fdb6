import {
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from "../../../api/validation/core/resource-quota.js";
import { object } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age, name, quantityCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const resourceQuotaRecord: ResourceRecord = {
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
