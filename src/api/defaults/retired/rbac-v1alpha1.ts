import { children, type Fields, text } from "../../../machinery/meta/access.js";
import { defaultRoleGroup } from "../policy.js";

const API_VERSIONS: Readonly<Record<string, string>> = {
  ServiceAccount: "v1",
  User: "rbac.authorization.k8s.io/v1alpha1",
  Group: "rbac.authorization.k8s.io/v1alpha1",
};

/** RoleBinding and ClusterRoleBinding, whose subjects have an apiVersion in v1alpha1. */
export function defaultAlphaRoleBinding(binding: Fields): void {
  defaultRoleGroup(binding);
  for (const subject of children(binding, "subjects")) {
    const kind = text(subject.kind);
    const apiVersion = Object.hasOwn(API_VERSIONS, kind) ? API_VERSIONS[kind] : undefined;
    if (apiVersion !== undefined && text(subject.apiVersion) === "") subject.apiVersion = apiVersion;
  }
}
