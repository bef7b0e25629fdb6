import type { ClusterRole } from "../../../api/types/rbac/v1.js";
import { validateClusterRole, validateClusterRoleUpdate } from "../../../api/validation/rbac.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { authorizeRole } from "./escalation.js";
import { RBAC_RULES } from "./rbac-rules.js";

export const clusterRoleRecord: RecordOf<ClusterRole> = {
  group: "rbac.authorization.k8s.io",
  resource: "clusterroles",
  strategy: {
    ...RBAC_RULES,
    authorize: authorizeRole("clusterroles"),
    validate: (role) => validateClusterRole(role),
    validateUpdate: validateClusterRoleUpdate,
  },
};
