import type { ClusterRoleBinding } from "../../../api/types/rbac/v1.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { bindingStrategy } from "./binding.js";

export const clusterRoleBindingRecord: RecordOf<ClusterRoleBinding> = {
  group: "rbac.authorization.k8s.io",
  resource: "clusterrolebindings",
  strategy: bindingStrategy(false),
};
