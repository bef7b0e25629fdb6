import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, PolicyRule } from "../../api/types/rbac/v1.js";
import { object, objects, type ReceivedObject, text, type Received } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";
import { compactRules, readRules, resourceText } from "../../machinery/rbac/policy-rule.js";
import { slice } from "./go-fields.js";

// No namespaces and no events: kubectl shows none of either, although roles and their bindings have a namespace.

export const describeRole: Describer = async (namespace, name, description, { reader }) => {
  describePermissions(description, await reader.get("rbac.authorization.k8s.io/v1/Role", namespace, name));
};

export const describeClusterRole: Describer = async (_namespace, name, description, { reader }) => {
  describePermissions(description, await reader.get("rbac.authorization.k8s.io/v1/ClusterRole", "", name));
};

export const describeRoleBinding: Describer = async (namespace, name, description, { reader }) => {
  describeBinding(description, await reader.get("rbac.authorization.k8s.io/v1/RoleBinding", namespace, name));
};

export const describeClusterRoleBinding: Describer = async (_namespace, name, description, { reader }) => {
  describeBinding(description, await reader.get("rbac.authorization.k8s.io/v1/ClusterRoleBinding", "", name));
};

function describePermissions(description: Description, role: ReceivedObject<Role | ClusterRole>): void {
  describeName(description, role, false);
  describeLabelsAndAnnotations(description, role);
  describePolicyRules(description, objects(role.rules));
}

function describeBinding(description: Description, binding: ReceivedObject<RoleBinding | ClusterRoleBinding>): void {
  const role = object(binding.roleRef);
  describeName(description, binding, false);
  describeLabelsAndAnnotations(description, binding);
  description.write(0, "Role:\n");
  description.write(1, `Kind:\t${text(role.kind)}\n`);
  description.write(1, `Name:\t${text(role.name)}\n`);
  description.write(0, "Subjects:\n");
  description.write(1, "Kind\tName\tNamespace\n");
  description.write(1, "----\t----\t---------\n");
  for (const subject of objects(binding.subjects)) {
    description.write(1, `${text(subject.kind)}\t${text(subject.name)}\t${text(subject.namespace)}\n`);
  }
}

/** "PolicyRule:" and a table of all that rules allow: a line for each resource and each name, and for each verb of a path. */
function describePolicyRules(description: Description, rules: readonly Received<PolicyRule>[]): void {
  description.write(0, "PolicyRule:\n");
  description.write(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
  description.write(1, "---------\t-----------------\t--------------\t-----\n");
  for (const rule of compactRules(readRules(rules))) {
    const { nonResourceURLs, resourceNames, verbs } = rule;
    description.write(
      1,
      `${resourceText(rule)}\t${slice(nonResourceURLs)}\t${slice(resourceNames)}\t${slice(verbs)}\n`,
    );
  }
}
