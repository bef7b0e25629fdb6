import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { rbacMode } from "../../../../src/server/authz/rbac/rbac-mode.js";
import type { User } from "../../../../src/server/request/user.js";
import { attributes, PolicyWorld } from "./policy-world.js";

const clusterRole = (name: string, ...rules: object[]): KubeObject => ({
  kind: "ClusterRole",
  metadata: { name },
  rules,
});
const role = (namespace: string, name: string, ...rules: object[]): KubeObject => ({
  kind: "Role",
  metadata: { name, namespace },
  rules,
});
const clusterBinding = (name: string, roleName: string, ...subjects: object[]): KubeObject => ({
  kind: "ClusterRoleBinding",
  metadata: { name },
  roleRef: { kind: "ClusterRole", name: roleName },
  subjects,
});
const binding = (namespace: string, name: string, ref: string, ...subjects: object[]): KubeObject => {
  const [kind, roleName] = ref.split(" ");
  return { kind: "RoleBinding", metadata: { name, namespace }, roleRef: { kind, name: roleName }, subjects };
};
const user = (name: string) => ({ kind: "User", name });
const group = (name: string) => ({ kind: "Group", name });
const account = (name: string, namespace?: string) => ({
  kind: "ServiceAccount",
  name,
  ...(namespace !== undefined && { namespace }),
});
const rule = (verbs: string, apiGroups: string, resources: string, names?: string) => ({
  verbs: verbs.split(","),
  apiGroups: apiGroups.split(","),
  resources: resources.split(","),
  ...(names !== undefined && { resourceNames: names.split(",") }),
});
const url = (...nonResourceURLs: string[]) => ({ verbs: ["get"], nonResourceURLs });

const WORLD: readonly KubeObject[] = [
  clusterRole("reader", rule("get,list,watch", "", "pods,pods/log")),
  clusterRole("deployer", rule("*", "apps", "deployments,deployments/scale")),
  clusterRole("scaler", rule("get,update", "*", "*/scale")),
  clusterRole("root", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, { verbs: ["*"], nonResourceURLs: ["*"] }),
  clusterRole("paths", url("/healthz", "/api/*", "/logs/**")),
  clusterRole("named", rule("get,create", "", "configmaps", "one,two")),
  clusterRole("starry", rule("get", "", "configmaps", "*")),
  clusterRole("mixed", { verbs: ["get"], apiGroups: [""], resources: ["pods"], nonResourceURLs: ["/metrics"] }),
  clusterRole("empty"),
  role("dev", "local", rule("get", "", "secrets")),
  role("prod", "local", rule("delete", "", "secrets")),
  clusterBinding("readers", "reader", user("jane"), group("devs")),
  clusterBinding("deployers", "deployer", group("ops")),
  clusterBinding("scalers", "scaler", account("hpa", "kube-system"), account("nowhere")),
  clusterBinding("roots", "root", user("root")),
  clusterBinding("visitors", "paths", group("system:unauthenticated")),
  clusterBinding("names", "named", user("nina")),
  clusterBinding("stars", "starry", user("stan")),
  clusterBinding("mixers", "mixed", user("mia")),
  clusterBinding("nothing", "empty", user("emma")),
  clusterBinding("gone", "missing", user("greta"), user("gus")),
  clusterBinding("gone-too", "also-missing", user("gus")),
  binding("dev", "secrets", "Role local", user("sam"), account("bot")),
  binding("dev", "robots", "Role local", account("bot", "prod")),
  binding("prod", "secrets", "Role local", user("sam")),
  binding("dev", "pods", "ClusterRole reader", group("guests")),
  binding("dev", "gone", "Role missing", user("gil")),
  binding("dev", "odd", "Kind other", user("olga")),
  binding("dev", "wrong-subject", "ClusterRole reader", { kind: "Robot", name: "robby" }),
];

const ALLOWED = "allow";
const NONE = "no-opinion";
const by = (text: string) => `RBAC: allowed by ${text}`;

/** Requirements RBAC-1 to RBAC-4; the texts are those of kube-apiserver's plugin/pkg/auth/authorizer/rbac. */
const rows: readonly (readonly [string, string, string, string, reason?: string])[] = [
  [
    "a user that a cluster role binding names",
    "jane",
    "get pods in dev",
    ALLOWED,
    by('ClusterRoleBinding "readers" of ClusterRole "reader" to User "jane"'),
  ],
  [
    "the same in all namespaces",
    "jane",
    "list pods",
    ALLOWED,
    by('ClusterRoleBinding "readers" of ClusterRole "reader" to User "jane"'),
  ],
  [
    "a member of a group",
    "joe,devs",
    "watch pods in dev",
    ALLOWED,
    by('ClusterRoleBinding "readers" of ClusterRole "reader" to Group "devs"'),
  ],
  [
    "the first subject that applies is named",
    "jane,devs",
    "get pods",
    ALLOWED,
    by('ClusterRoleBinding "readers" of ClusterRole "reader" to User "jane"'),
  ],
  ["a verb that the rule does not have", "jane", "delete pods in dev", NONE],
  ["a resource that the rule does not have", "jane", "get secrets in dev", NONE],
  ["a group that the rule does not have", "jane", "get pods.example.com in dev", NONE],
  ["a subresource that the rule names", "jane", "get pods/log web in dev", ALLOWED],
  ["a subresource that the rule does not name", "jane", "get pods/exec web in dev", NONE],
  ["a subresource is not covered by its resource", "ann,ops", "get deployments.apps/status web in dev", NONE],
  ["every verb", "ann,ops", "frobnicate deployments.apps in dev", ALLOWED],
  [
    "a subresource of every resource",
    "system:serviceaccount:kube-system:hpa",
    "update deployments.apps/scale web in dev",
    ALLOWED,
    by('ClusterRoleBinding "scalers" of ClusterRole "scaler" to ServiceAccount "hpa/kube-system"'),
  ],
  [
    "not the resource itself of a rule for a subresource",
    "system:serviceaccount:kube-system:hpa",
    "update deployments.apps web in dev",
    NONE,
  ],
  [
    "not another subresource",
    "system:serviceaccount:kube-system:hpa",
    "update deployments.apps/status web in dev",
    NONE,
  ],
  [
    "a cluster role binding's service account without a namespace is nobody",
    "system:serviceaccount::nowhere",
    "get pods/scale",
    NONE,
  ],
  ["everything", "root", "impersonate users.example.com/x y in z", ALLOWED],
  ["every path", "root", "post /anything", ALLOWED],
  [
    "a path",
    "x,system:unauthenticated",
    "get /healthz",
    ALLOWED,
    by('ClusterRoleBinding "visitors" of ClusterRole "paths" to Group "system:unauthenticated"'),
  ],
  ["a path below another one", "x,system:unauthenticated", "get /healthz/ping", NONE],
  ["a path that a star stands for", "x,system:unauthenticated", "get /api/v1/nodes", ALLOWED],
  ["what stands before the star's slash alone", "x,system:unauthenticated", "get /api", NONE],
  ["several stars are one", "x,system:unauthenticated", "get /logs/a/b", ALLOWED],
  ["a path by another method", "x,system:unauthenticated", "post /healthz", NONE],
  ["a rule for resources gives no paths", "jane", "get /pods", NONE],
  ["a rule for paths gives no resources", "x,system:unauthenticated", "get healthz", NONE],
  ["a named object", "nina", "get configmaps two in dev", ALLOWED],
  ["an object of another name", "nina", "get configmaps three in dev", NONE],
  ["no name, as in a list, where names are required", "nina", "get configmaps in dev", NONE],
  ["a create has no name to match", "nina", "create configmaps in dev", NONE],
  ["a star is a name like any other", "stan", "get configmaps one in dev", NONE],
  ["the object that is called as the star", "stan", "get configmaps * in dev", ALLOWED],
  ["a rule of both kinds, the resource", "mia", "get pods in dev", ALLOWED],
  ["a rule of both kinds, the path", "mia", "get /metrics", ALLOWED],
  ["a role without rules", "emma", "get pods", NONE],
  [
    "a role in its namespace",
    "sam",
    "get secrets in dev",
    ALLOWED,
    by('RoleBinding "secrets/dev" of Role "local" to User "sam"'),
  ],
  ["a role of the same name elsewhere", "sam", "get secrets in prod", NONE],
  ["the role there", "sam", "delete secrets in prod", ALLOWED],
  ["a role in no namespace", "sam", "get secrets", NONE],
  ["a role in a namespace that has none", "sam", "get secrets in test", NONE],
  [
    "a service account of the binding's namespace",
    "system:serviceaccount:dev:bot",
    "get secrets in dev",
    ALLOWED,
    by('RoleBinding "secrets/dev" of Role "local" to ServiceAccount "bot/dev"'),
  ],
  [
    "a service account of another namespace",
    "system:serviceaccount:prod:bot",
    "get secrets in dev",
    ALLOWED,
    by('RoleBinding "robots/dev" of Role "local" to ServiceAccount "bot/prod"'),
  ],
  ["a service account of a namespace that is not bound", "system:serviceaccount:test:bot", "get secrets in dev", NONE],
  ["a user of a service account's short name", "bot", "get secrets in dev", NONE],
  [
    "a cluster role in one namespace",
    "x,guests",
    "get pods in dev",
    ALLOWED,
    by('RoleBinding "pods/dev" of ClusterRole "reader" to Group "guests"'),
  ],
  ["the cluster role in another namespace", "x,guests", "get pods in prod", NONE],
  ["the cluster role for all namespaces", "x,guests", "list pods", NONE],
  ["a group is not a user", "devs", "get pods", NONE],
  ["a subject of an unknown kind", "robby", "get pods in dev", NONE],
  [
    "a cluster role that does not exist",
    "greta",
    "get pods",
    NONE,
    'RBAC: clusterrole.rbac.authorization.k8s.io "missing" not found',
  ],
  [
    "several of them",
    "gus",
    "get pods",
    NONE,
    'RBAC: [clusterrole.rbac.authorization.k8s.io "missing" not found, clusterrole.rbac.authorization.k8s.io "also-missing" not found]',
  ],
  [
    "a role that does not exist",
    "gil",
    "get pods in dev",
    NONE,
    'RBAC: role.rbac.authorization.k8s.io "missing" not found',
  ],
  ["a reference to no role", "olga", "get pods in dev", NONE, 'RBAC: unsupported role reference kind: "Kind"'],
  ["a role that does not exist is no matter where another one allows", "greta,devs", "get pods", ALLOWED],
];

const userOf = (text: string): User => {
  const [name = "", ...groups] = text.split(",");
  return { name, groups };
};

/** With the watch cache and without one. */
const modes = [true, false].map((hasCache) => ({ hasCache, mode: rbacMode(new PolicyWorld(WORLD, hasCache).context) }));

test.each(rows)("RBAC decides about %s", async (_title, ...row) => {
  const [who = "", request = "", decision, reason] = row;
  for (const { hasCache, mode } of modes) {
    const found = mode.authorize(attributes(request, userOf(who)));
    expect(found instanceof Promise).toBe(!hasCache);
    const answer = await found;
    expect(answer.decision).toBe(decision);
    if (reason !== undefined) expect(answer.reason).toBe(reason);
    else if (decision === NONE) expect(answer.reason).toBeUndefined();
  }
});

const changes: readonly (readonly [string, (world: PolicyWorld) => void, string])[] = [
  ["a new binding", (world) => world.put(clusterBinding("new", "reader", user("kim"))), ALLOWED],
  ["another user's new binding", (world) => world.put(clusterBinding("new", "reader", user("lea"))), NONE],
  ["a binding that is gone", (world) => world.remove(clusterBinding("kims", "root")), NONE],
  ["a role that has fewer rules", (world) => world.put(clusterRole("root", url("/"))), NONE],
  ["a role that is gone", (world) => world.remove(clusterRole("root")), NONE],
  ["a role that comes back", (world) => world.put(clusterRole("lost", rule("*", "*", "*"))), ALLOWED],
  ["a binding to other subjects", (world) => world.put(clusterBinding("kims", "root", user("lea"))), NONE],
];

test.each(changes)("RBAC applies to the next request %s", (title, change, decision) => {
  const isBound = title.includes("gone") || title.includes("fewer") || title.includes("other subjects");
  const world = new PolicyWorld([
    ...WORLD,
    clusterBinding("losers", "lost", user("kim")),
    ...(isBound ? [clusterBinding("kims", "root", user("kim"))] : []),
  ]);
  const mode = rbacMode(world.context);
  const asked = attributes("get pods in dev", userOf("kim"));
  expect(mode.authorize(asked)).toMatchObject({ decision: isBound ? ALLOWED : NONE });
  change(world);
  expect(mode.authorize(asked)).toMatchObject({ decision });
});

test("a user's rights are listed from cluster role bindings first, then from the namespace, with what could not be read", async () => {
  const mode = rbacMode(new PolicyWorld(WORLD).context);
  expect(await mode.rightsOf?.(userOf("gil,devs,system:unauthenticated"), "dev")).toEqual({
    resourceRules: [{ verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods", "pods/log"] }],
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/api/*", "/logs/**"] }],
    incomplete: false,
    error: 'role.rbac.authorization.k8s.io "missing" not found',
  });
  expect(await mode.rightsOf?.(userOf("sam,guests,nina"), "dev")).toMatchObject({
    resourceRules: [
      { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods", "pods/log"] },
      { verbs: ["get"], apiGroups: [""], resources: ["secrets"] },
    ],
  });
  expect(await mode.rightsOf?.(userOf("nina"), "")).toMatchObject({
    resourceRules: [
      { verbs: ["get", "create"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["one", "two"] },
    ],
  });
});
