import {
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
} from "../../../api/validation/device-claim.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";

export const resourceClaimTemplateRecord: ResourceRecord = {
  group: "resource.k8s.io",
  resource: "resourceclaimtemplates",
  strategy: {
    validate: validateResourceClaimTemplate,
    validateUpdate: validateResourceClaimTemplateUpdate,
  },
};
