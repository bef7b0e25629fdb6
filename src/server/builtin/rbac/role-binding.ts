import type { RoleBinding } from "../../../api/types/rbac/v1.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { bindingStrategy } from "./binding.js";

export const roleBindingRecord: RecordOf<RoleBinding> = {
  group: "rbac.authorization.k8s.io",
  resource: "rolebindings",
  strategy: bindingStrategy(true),
};
