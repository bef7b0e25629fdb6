import {
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
} from "../../../api/validation/device-claim.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { NAME_AND_AGE } from "../tables/columns.js";

export const resourceClaimTemplateRecord: ResourceRecord = {
  group: "resource.k8s.io",
  resource: "resourceclaimtemplates",
  strategy: {
    validate: validateResourceClaimTemplate,
    validateUpdate: validateResourceClaimTemplateUpdate,
    columns: NAME_AND_AGE,
  },
};
