import { object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeLabelsAndAnnotations, describeName } from "./heading.js";
import { describePolicyRules } from "./policy-rules.js";

const rbac = (resource: string) => ({ group: "rbac.authorization.k8s.io", version: "v1", resource });

// No namespaces and no events: kubectl shows none of either, although roles and their bindings have a namespace.

export const describeRole: Describer = async (namespace, name, description, { reader }) => {
  describePermissions(description, await reader.get(rbac("roles"), namespace, name));
};

export const describeClusterRole: Describer = async (_namespace, name, description, { reader }) => {
  describePermissions(description, await reader.get(rbac("clusterroles"), "", name));
};

export const describeRoleBinding: Describer = async (namespace, name, description, { reader }) => {
  describeBinding(description, await reader.get(rbac("rolebindings"), namespace, name));
};

export const describeClusterRoleBinding: Describer = async (_namespace, name, description, { reader }) => {
  describeBinding(description, await reader.get(rbac("clusterrolebindings"), "", name));
};

function describePermissions(description: Description, role: KubeObject): void {
  describeName(description, role, false);
  describeLabelsAndAnnotations(description, role);
  describePolicyRules(description, objects(role.rules));
}

function describeBinding(description: Description, binding: KubeObject): void {
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
