import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { bindingStrategy } from "./binding.js";

export const clusterRoleBindingRecord: ResourceRecord = {
  group: "rbac.authorization.k8s.io",
  resource: "clusterrolebindings",
  strategy: bindingStrategy(false),
};
