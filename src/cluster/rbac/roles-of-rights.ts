import type { ClusterRole, PolicyRule, Role } from "../../api/types/rbac/v1.js";
import { compareKeys } from "../../base/collections/key-order.js";
import type { SeenRight } from "./seen-rights.js";

/** One of the roles, with the rights that it was made of. */
export interface RoleOfRights {
  readonly role: ClusterRole | Role;
  readonly rights: readonly SeenRight[];
}

const RBAC = "rbac.authorization.k8s.io/v1";

/**
 * The smallest roles that allow the rights: a ClusterRole for resources of the cluster, requests over all namespaces and paths that are no resource,
 * then a Role for each namespace. A Role has no right that the ClusterRole has. A role without rules is left out.
 */
export function rolesOfRights(rights: readonly SeenRight[], name: string): readonly RoleOfRights[] {
  const clusterWide = rights.filter(({ namespace }) => namespace === "");
  const everywhere = new Set(clusterWide.map(permission));
  const inNamespaces = new Map<string, SeenRight[]>();
  for (const right of rights) {
    if (everywhere.has(permission(right))) continue;
    const others = inNamespaces.get(right.namespace) ?? [];
    others.push(right);
    inNamespaces.set(right.namespace, others);
  }
  const namespaces = [...inNamespaces].sort(([a], [b]) => compareKeys(a, b));
  return [
    ...(clusterWide.length === 0 ? [] : [{ role: clusterRole(clusterWide, name), rights: clusterWide }]),
    ...namespaces.map(([namespace, found]) => ({ role: roleIn(namespace, found, name), rights: found })),
  ];
}

const clusterRole = (rights: readonly SeenRight[], name: string): ClusterRole => ({
  apiVersion: RBAC,
  kind: "ClusterRole",
  metadata: { name },
  rules: rulesOf(rights),
});

const roleIn = (namespace: string, rights: readonly SeenRight[], name: string): Role => ({
  apiVersion: RBAC,
  kind: "Role",
  metadata: { name, namespace },
  rules: rulesOf(rights),
});

/** Equal for rights that differ only in their namespace. */
const permission = (right: SeenRight): string => JSON.stringify([right.verb, ...objectOf(right)]);

/** What a right is for: the group and the resource as a rule names them, or the path. */
const objectOf = ({ apiGroup, resource, subresource, path }: SeenRight): readonly [string, string, string] => [
  apiGroup,
  subresource === "" ? resource : `${resource}/${subresource}`,
  path,
];

/** One rule for all resources of a group that have the same verbs, sorted; those for paths come last. */
function rulesOf(rights: readonly SeenRight[]): PolicyRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const right of rights) {
    const key = JSON.stringify(objectOf(right));
    verbsOf.set(key, (verbsOf.get(key) ?? new Set()).add(right.verb));
  }
  const rules = new Map<string, PolicyRule>();
  for (const [key, found] of [...verbsOf].sort(([a], [b]) => compareKeys(a, b))) {
    const [group, resource, path] = JSON.parse(key) as [string, string, string];
    const verbs = [...found].sort(compareKeys);
    const like = JSON.stringify([group, path !== "", verbs]);
    const rule = rules.get(like) ?? emptyRule(group, path !== "", verbs);
    rules.set(like, rule);
    (rule.nonResourceURLs ?? rule.resources)?.push(path === "" ? resource : path);
  }
  const all = [...rules.values()];
  return [...all.filter(isForResources), ...all.filter((rule) => !isForResources(rule))];
}

const emptyRule = (group: string, isForPaths: boolean, verbs: string[]): PolicyRule =>
  isForPaths ? { nonResourceURLs: [], verbs } : { apiGroups: [group], resources: [], verbs };

const isForResources = ({ resources }: PolicyRule): boolean => resources !== undefined;
