import type { KubeObject } from "../../machinery/meta/object.js";
import type { Release } from "../facts/index.js";
import since37 from "./rbac-1.37.json" with { type: "json" };
import rbac from "./rbac.json" with { type: "json" };

/**
 * The committed form of the built-in roles. A rule is "verbs groups resources [names]", comma-separated, `core` for the
 * core group, or "verbs urls paths"; a subject is "user x", "group x" or "serviceaccount namespace/x"; a binding's role
 * has the binding's name unless it says otherwise; keys of namespaced ones are "namespace/name".
 */
interface RoleEntry {
  readonly rules?: readonly string[];
  /** The aggregated role this one's rules go into: "admin", "edit" or "view". */
  readonly aggregateTo?: string;
  /** Its rules are those of the roles that aggregate to this one. */
  readonly aggregates?: string;
}

interface BindingEntry {
  readonly subjects: readonly string[];
  readonly role?: string;
}

const RBAC = "rbac.authorization.k8s.io";
const AGGREGATE = `${RBAC}/aggregate-to-`;

/** The roles and bindings of a version of Kubernetes. Since 1.37 some roles are new and others have other rules (K37-125). */
export function bootstrapRbac(release: Pick<Release, "atLeast">): KubeObject[] {
  const changed = release.atLeast("1.37") ? since37 : undefined;
  const clusterRoles: Readonly<Record<string, RoleEntry>> = { ...rbac.clusterRoles, ...changed?.clusterRoles };
  const clusterBindings: Readonly<Record<string, BindingEntry>> = {
    ...rbac.clusterRoleBindings,
    ...changed?.clusterRoleBindings,
  };
  const roles: Readonly<Record<string, RoleEntry>> = rbac.roles;
  const bindings: Readonly<Record<string, BindingEntry>> = rbac.roleBindings;
  return [
    ...Object.entries(clusterRoles).map(([name, entry]) => clusterRole(name, entry, clusterRoles)),
    ...Object.entries(clusterBindings).map(([name, entry]) =>
      binding("ClusterRoleBinding", "ClusterRole", name, entry),
    ),
    ...Object.entries(roles).map(([key, entry]) => ({
      ...header("Role", key, {}),
      rules: (entry.rules ?? []).map(parseRule),
    })),
    ...Object.entries(bindings).map(([key, entry]) => binding("RoleBinding", "Role", key, entry)),
  ];
}

function clusterRole(name: string, entry: RoleEntry, all: Readonly<Record<string, RoleEntry>>): KubeObject {
  const labels = entry.aggregateTo === undefined ? {} : { [`${AGGREGATE}${entry.aggregateTo}`]: "true" };
  const role = header("ClusterRole", name, labels);
  if (entry.aggregates === undefined) return { ...role, rules: (entry.rules ?? []).map(parseRule) };
  const matchLabels = { [`${AGGREGATE}${entry.aggregates}`]: "true" };
  return {
    ...role,
    aggregationRule: { clusterRoleSelectors: [{ matchLabels }] },
    rules: aggregatedRules(entry.aggregates, all).map(parseRule),
  };
}

/** Rules of the roles that aggregate to `target`, by name; a role that aggregates itself brings its own. */
function aggregatedRules(target: string, all: Readonly<Record<string, RoleEntry>>): string[] {
  const rules = Object.entries(all)
    .filter(([, entry]) => entry.aggregateTo === target)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { rules: own = [], aggregates }]) =>
      aggregates === undefined ? own : aggregatedRules(aggregates, all),
    );
  return [...new Set(rules)];
}

function binding(kind: string, roleKind: string, key: string, entry: BindingEntry): KubeObject {
  const object = header(kind, key, {});
  const role = entry.role ?? object.metadata?.name;
  return {
    ...object,
    roleRef: { apiGroup: RBAC, kind: roleKind, name: role },
    subjects: entry.subjects.map(parseSubject),
  };
}

function header(kind: string, key: string, labels: Readonly<Record<string, string>>): KubeObject {
  const [first = "", second] = key.includes("/") ? key.split("/") : [key];
  return {
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata: {
      name: second ?? first,
      ...(second !== undefined && { namespace: first }),
      labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    },
  };
}

function parseRule(rule: string) {
  const [verbs = "", groups = "", targets = "", names] = rule.split(" ");
  const list = (text: string) => text.split(",");
  if (groups === "urls") return { nonResourceURLs: list(targets), verbs: list(verbs) };
  return {
    apiGroups: list(groups).map((group) => (group === "core" ? "" : group)),
    ...(names !== undefined && { resourceNames: list(names) }),
    resources: list(targets),
    verbs: list(verbs),
  };
}

function parseSubject(subject: string) {
  const [kind, name = ""] = subject.split(" ");
  if (kind === "serviceaccount") {
    const [namespace = "", account = ""] = name.split("/");
    return { kind: "ServiceAccount", name: account, namespace };
  }
  return { apiGroup: RBAC, kind: kind === "user" ? "User" : "Group", name };
}
