import type { Role } from "../../../api/types/rbac/v1.js";
import { validateRole } from "../../../api/validation/rbac.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { authorizeRole } from "./escalation.js";
import { RBAC_RULES } from "./rbac-rules.js";

export const roleRecord: RecordOf<Role> = {
  group: "rbac.authorization.k8s.io",
  resource: "roles",
  strategy: {
    ...RBAC_RULES,
    authorize: authorizeRole("roles"),
    ...checked((role) => validateRole(role, true)),
  },
};
