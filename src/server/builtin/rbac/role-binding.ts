import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { bindingStrategy } from "./binding.js";

export const roleBindingRecord: ResourceRecord = {
  group: "rbac.authorization.k8s.io",
  resource: "rolebindings",
  strategy: bindingStrategy(true),
};
