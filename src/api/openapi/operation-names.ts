import type { ResourceFacts } from "../facts/resources.js";

/** "read" -> "readAppsV1NamespacedDeployment". */
export function namesOf(resource: ResourceFacts): (verb: string, middle?: string) => string {
  const scope = resource.namespaced ? "Namespaced" : "";
  return (verb, middle = "") => `${verb}${versionName(resource)}${middle}${scope}${resource.kind}`;
}

/** "RbacAuthorizationV1". */
export const versionName = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  `${groupName(group)}${camel(version)}`;

/** "rbac.authorization.k8s.io" -> "RbacAuthorization". */
export function groupName(group: string): string {
  if (group === "") return "Core";
  return group
    .replace(/\.k8s\.io$/, "")
    .split(".")
    .map(camel)
    .join("");
}

/** "rbacAuthorization_v1"; of a group alone, "rbacAuthorization". */
export function tagOf(group: string, version?: string): string {
  const name = groupName(group).replace(/^./, (first) => first.toLowerCase());
  return version === undefined ? name : `${name}_${version}`;
}

export const camel = (word: string): string => word.replace(/^./, (first) => first.toUpperCase());
