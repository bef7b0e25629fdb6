import { pathSegmentErrors } from "../../../machinery/validation/names.js";
import type { Strategy } from "../../registry/strategy.js";
import type { Role, ClusterRole } from "../../../api/types/rbac/v1.js";
import { validateRole, validateClusterRole, validateClusterRoleUpdate } from "../../../api/validation/rbac.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { authorizeRole } from "./escalation.js";

/** RBAC names are anything that can be part of a path. */
export const RBAC_RULES: Strategy = { validateName: pathSegmentErrors, allowCreateOnUpdate: true };

export const roleRecord: RecordOf<Role> = {
  group: "rbac.authorization.k8s.io",
  resource: "roles",
  strategy: {
    ...RBAC_RULES,
    authorize: authorizeRole("roles"),
    ...checked((role) => validateRole(role, true)),
  },
};

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
