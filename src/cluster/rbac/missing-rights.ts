import { readRules } from "../../machinery/rbac/policy-rule.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import { ruleAllows } from "../../server/authz/rbac/rbac-mode.js";
import type { SeenRight } from "./seen-rights.js";

/**
 * The rights that a recorder has seen and that the roles do not allow, each with the names that lack it; empty where they allow all. Roles are
 * matched as the server does it, resourceNames too. A Role counts in its namespace; a ClusterRole counts in all, as if a ClusterRoleBinding bound it.
 * Other objects are passed over. Throws for a Role without a namespace.
 */
export function missingRights(
  roles: readonly ApiObject[],
  recorder: { rights(): readonly SeenRight[] },
): readonly SeenRight[] {
  const granted = roles.filter(isRole).map(({ kind, metadata, rules }) => {
    const { name = "", namespace = "" } = metadata ?? {};
    if (kind === "Role" && namespace === "") {
      throw new Error(`Role "${name}" has no namespace: set metadata.namespace to the one that it is created in`);
    }
    return { namespace: kind === "Role" ? namespace : undefined, rules: readRules(rules) };
  });
  return recorder.rights().flatMap((right) => {
    const names = right.names.filter((name) => !isAllowed(right, name));
    return names.length === 0 ? [] : [{ ...right, names }];
  });

  function isAllowed(right: SeenRight, name: string): boolean {
    const isNamespace = right.apiGroup === "" && right.resource === "namespaces";
    // To the server a request for a namespace is one in that namespace.
    const place = isNamespace ? name : right.namespace;
    const asked = { ...right, name, isResourceRequest: right.resource !== "" };
    return granted.some(
      ({ namespace, rules }) =>
        (namespace === undefined || (namespace === place && asked.isResourceRequest)) &&
        rules.some((rule) => ruleAllows(rule, asked)),
    );
  }
}

const isRole = (object: ApiObject): object is KubeObject =>
  object.apiVersion?.startsWith("rbac.authorization.k8s.io/") === true &&
  (object.kind === "Role" || object.kind === "ClusterRole");
