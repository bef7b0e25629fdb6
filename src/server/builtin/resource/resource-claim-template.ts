import type { ResourceClaimTemplate } from "../../../api/types/resource/v1.js";
import {
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
} from "../../../api/validation/resource/device-claim.js";
import { object } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { NAME_AND_AGE } from "../tables/columns.js";
import { requestedAdminAccess } from "./admin-access.js";

export const resourceClaimTemplateRecord: RecordOf<ResourceClaimTemplate> = {
  group: "resource.k8s.io",
  resource: "resourceclaimtemplates",
  strategy: {
    async beforeValidation({ metadata, spec }, old, context) {
      // A spec never changes.
      if (old !== undefined) return [];
      return requestedAdminAccess(object(spec).spec, metadata?.namespace, context);
    },
    validate: validateResourceClaimTemplate,
    validateUpdate: validateResourceClaimTemplateUpdate,
    columns: NAME_AND_AGE,
  },
};
