import type { ClusterRoleBinding, RoleBinding } from "../../../api/types/rbac/v1.js";
import { validateRoleBinding, validateRoleBindingUpdate } from "../../../api/validation/rbac.js";
import { object, objects, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { Strategy } from "../../registry/strategy.js";
import { checked } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { authorizeBinding } from "./escalation.js";
import { RBAC_RULES } from "./roles.js";
import type { RecordOf } from "../../endpoints/resource-record.js";

const bindingColumns = columns<ReceivedObject<RoleBinding | ClusterRoleBinding>>(
  [
    "Name",
    ["Role", "The kind and name of the role that is granted."],
    "Age",
    ["Users:string:1", "The users that get the role."],
    ["Groups:string:1", "The groups that get the role."],
    ["ServiceAccounts:string:1", "The service accounts that get the role."],
  ],
  (binding, now) => {
    const role = object(binding.roleRef);
    const subjects = objects(binding.subjects);
    const namesOf = (kind: string) => subjects.filter((subject) => subject.kind === kind);
    return [
      name(binding),
      `${text(role.kind)}/${text(role.name)}`,
      age(binding, now),
      namesOf("User")
        .map((subject) => text(subject.name))
        .join(", "),
      namesOf("Group")
        .map((subject) => text(subject.name))
        .join(", "),
      namesOf("ServiceAccount")
        .map((subject) => `${text(subject.namespace)}/${text(subject.name)}`)
        .join(", "),
    ];
  },
);

/** The strategy of role bindings and cluster role bindings. */
const bindingStrategy = (namespaced: boolean): Strategy => ({
  ...RBAC_RULES,
  ...checked((binding) => validateRoleBinding(binding, namespaced), validateRoleBindingUpdate),
  authorize: authorizeBinding(namespaced ? "rolebindings" : "clusterrolebindings"),
  columns: bindingColumns,
});

export const roleBindingRecord: RecordOf<RoleBinding> = {
  group: "rbac.authorization.k8s.io",
  resource: "rolebindings",
  strategy: bindingStrategy(true),
};

export const clusterRoleBindingRecord: RecordOf<ClusterRoleBinding> = {
  group: "rbac.authorization.k8s.io",
  resource: "clusterrolebindings",
  strategy: bindingStrategy(false),
};
