import { validateClusterRole, validateClusterRoleUpdate } from "../../../api/validation/rbac.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { authorizeRole } from "./escalation.js";
import { RBAC_RULES } from "./rbac-rules.js";

export const clusterRoleRecord: ResourceRecord = {
  group: "rbac.authorization.k8s.io",
  resource: "clusterroles",
  strategy: {
    ...RBAC_RULES,
    authorize: authorizeRole("clusterroles"),
    validate: (role) => validateClusterRole(role),
    validateUpdate: validateClusterRoleUpdate,
  },
};
