import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { call } from "../../../helpers/api-caller.js";
import { asUser } from "../../../helpers/as-user.js";

const API = "/apis/rbac.authorization.k8s.io/v1";
const GROUP = "rbac.authorization.k8s.io";
const IN_DEFAULT = `${API}/namespaces/default`;

let cluster: Cluster;
let admin: Transport;

const rule = (verbs: string, apiGroups: string, resources: string, names?: string) => ({
  verbs: verbs.split(","),
  apiGroups: apiGroups.split(","),
  resources: resources.split(","),
  ...(names !== undefined && { resourceNames: names.split(",") }),
});
const role = (name: string, ...rules: object[]) => ({ metadata: { name }, rules });
const binding = (name: string, ref: string, ...users: string[]) => {
  const [kind, roleName] = ref.split(" ");
  return {
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind, name: roleName },
    subjects: users.map((user) => ({ apiGroup: GROUP, kind: "User", name: user })),
  };
};
const create = async (path: string, object: object): Promise<void> => {
  const answer = await call(admin, "POST", path, object);
  expect(answer.status, answer.text).toBe(201);
};

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  admin = cluster.transport();
  const mayWrite = rule("create,get,update,patch", GROUP, "roles,rolebindings,clusterroles,clusterrolebindings");
  await create(`${API}/clusterroles`, role("writer", mayWrite));
  await create(`${API}/clusterroles`, role("pod-reader", rule("get,list", "", "pods")));
  await create(`${API}/clusterroles`, role("all-pods", rule("*", "", "pods")));
  await create(`${API}/clusterroles`, role("escalator", mayWrite, rule("escalate", GROUP, "roles,clusterroles")));
  await create(`${API}/clusterroles`, role("binder", mayWrite, rule("bind", GROUP, "clusterroles", "admin")));
  await create(
    `${API}/clusterroles`,
    role("everything", rule("*", "*", "*"), { verbs: ["*"], nonResourceURLs: ["*"] }),
  );
  await create(`${API}/clusterrolebindings`, binding("writers", "ClusterRole writer", "will", "greta"));
  await create(`${API}/clusterrolebindings`, binding("readers", "ClusterRole pod-reader", "will"));
  await create(`${API}/clusterrolebindings`, binding("escalators", "ClusterRole escalator", "eve"));
  await create(`${API}/clusterrolebindings`, binding("binders", "ClusterRole binder", "bob"));
  await create(`${API}/clusterrolebindings`, binding("lords", "ClusterRole everything", "root"));
  await create(`${API}/clusterrolebindings`, binding("gone", "ClusterRole missing", "greta"));
  await create(`${IN_DEFAULT}/roles`, role("secrets", rule("get", "", "secrets")));
  await create(`${IN_DEFAULT}/rolebindings`, binding("secret-readers", "Role secrets", "will"));
  await create(`${API}/clusterroles`, {
    ...role("gatherer"),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
  });
});

afterAll(() => cluster.close());

const OF_WILL =
  'user "will" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n';
const GATHERING = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: "y" } }] } };

/** Requirement RBAC-11; texts of kube-apiserver's pkg/registry/rbac. A number stands for success. */
const rows: readonly (readonly [string, string, string, string, object, number | string])[] = [
  [
    "a role with permissions that one has",
    "will",
    "POST",
    `${IN_DEFAULT}/roles`,
    role("r1", rule("get", "", "pods")),
    201,
  ],
  [
    "a role with permissions that one has in the namespace alone",
    "will",
    "POST",
    `${IN_DEFAULT}/roles`,
    role("r2", rule("get", "", "secrets")),
    201,
  ],
  [
    "the same for all namespaces",
    "will",
    "POST",
    `${API}/clusterroles`,
    role("r3", rule("get", "", "secrets")),
    `clusterroles.rbac.authorization.k8s.io "r3" is forbidden: ${OF_WILL}{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
  ],
  [
    "a role with more, listed by resource in order",
    "will",
    "POST",
    `${IN_DEFAULT}/roles`,
    role("r4", rule("get,delete,create", "", "pods,nodes"), rule("get", "apps", "deployments", "web,db")),
    `roles.rbac.authorization.k8s.io "r4" is forbidden: ${OF_WILL}{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete" "create"]}\n` +
      `{APIGroups:[""], Resources:["pods"], Verbs:["delete" "create"]}\n` +
      `{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["db"], Verbs:["get"]}\n` +
      `{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["web"], Verbs:["get"]}`,
  ],
  [
    "a cluster role with paths",
    "will",
    "POST",
    `${API}/clusterroles`,
    role("r5", { verbs: ["get", "post"], nonResourceURLs: ["/logs"] }),
    `clusterroles.rbac.authorization.k8s.io "r5" is forbidden: ${OF_WILL}{NonResourceURLs:["/logs"], Verbs:["get"]}\n{NonResourceURLs:["/logs"], Verbs:["post"]}`,
  ],
  [
    "with the reason why rights may be missing",
    "greta",
    "POST",
    `${IN_DEFAULT}/roles`,
    role("r6", rule("get", "", "pods")),
    'roles.rbac.authorization.k8s.io "r6" is forbidden: user "greta" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}; resolution errors: [clusterroles.rbac.authorization.k8s.io "missing" not found]',
  ],
  ["any role by who may escalate", "eve", "POST", `${API}/clusterroles`, role("r7", rule("*", "*", "*")), 201],
  [
    "a change to more",
    "will",
    "PUT",
    `${IN_DEFAULT}/roles/secrets`,
    role("secrets", rule("get,list", "", "secrets")),
    `roles.rbac.authorization.k8s.io "secrets" is forbidden: ${OF_WILL}{APIGroups:[""], Resources:["secrets"], Verbs:["list"]}`,
  ],
  [
    "a patch to more",
    "will",
    "PATCH",
    `${IN_DEFAULT}/roles/secrets`,
    { rules: [rule("delete", "", "secrets")] },
    `roles.rbac.authorization.k8s.io "secrets" is forbidden: ${OF_WILL}{APIGroups:[""], Resources:["secrets"], Verbs:["delete"]}`,
  ],
  [
    "a change to no more than one has",
    "will",
    "PUT",
    `${IN_DEFAULT}/roles/secrets`,
    role("secrets", rule("get", "", "secrets", "one")),
    200,
  ],
  [
    "a label on a role with more than one has",
    "will",
    "PATCH",
    `${API}/clusterroles/all-pods`,
    { metadata: { labels: { a: "b" } } },
    `clusterroles.rbac.authorization.k8s.io "all-pods" is forbidden: ${OF_WILL}{APIGroups:[""], Resources:["pods"], Verbs:["*"]}`,
  ],
  [
    "a finalizer on it, as the garbage collector may set",
    "will",
    "PATCH",
    `${API}/clusterroles/all-pods`,
    { metadata: { finalizers: ["example.com/x"] } },
    200,
  ],
  [
    "the same finalizer again",
    "will",
    "PATCH",
    `${API}/clusterroles/all-pods`,
    { metadata: { finalizers: ["example.com/x"] } },
    200,
  ],
  [
    "a role that is created by PUT",
    "will",
    "PUT",
    `${IN_DEFAULT}/roles/r8`,
    role("r8", rule("delete", "", "pods")),
    `roles.rbac.authorization.k8s.io "r8" is forbidden: ${OF_WILL}{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}`,
  ],
  [
    "an empty role that gathers others' rules",
    "will",
    "POST",
    `${API}/clusterroles`,
    { ...role("r9"), ...GATHERING },
    'clusterroles.rbac.authorization.k8s.io "r9" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  ],
  [
    "gathering taken from a role",
    "will",
    "PUT",
    `${API}/clusterroles/gatherer`,
    role("gatherer"),
    'clusterroles.rbac.authorization.k8s.io "gatherer" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  ],
  [
    "a role that gathers, by who may do everything",
    "root",
    "POST",
    `${API}/clusterroles`,
    { ...role("r10"), ...GATHERING },
    201,
  ],
  [
    "a binding to a role whose permissions one has",
    "will",
    "POST",
    `${IN_DEFAULT}/rolebindings`,
    binding("b1", "ClusterRole pod-reader", "x"),
    201,
  ],
  [
    "a binding to more",
    "will",
    "POST",
    `${IN_DEFAULT}/rolebindings`,
    binding("b2", "ClusterRole all-pods", "x"),
    `rolebindings.rbac.authorization.k8s.io "b2" is forbidden: ${OF_WILL}{APIGroups:[""], Resources:["pods"], Verbs:["*"]}`,
  ],
  [
    "a binding for all namespaces to what one has in one",
    "will",
    "POST",
    `${API}/clusterrolebindings`,
    binding("b3", "ClusterRole all-pods", "x"),
    `clusterrolebindings.rbac.authorization.k8s.io "b3" is forbidden: ${OF_WILL}{APIGroups:[""], Resources:["pods"], Verbs:["*"]}`,
  ],
  [
    "a binding to a role that does not exist",
    "will",
    "POST",
    `${IN_DEFAULT}/rolebindings`,
    binding("b4", "Role nothing", "x"),
    'roles.rbac.authorization.k8s.io "nothing" not found',
  ],
  [
    "a cluster role binding to a cluster role that does not exist",
    "will",
    "POST",
    `${API}/clusterrolebindings`,
    binding("b5", "ClusterRole nothing", "x"),
    'clusterroles.rbac.authorization.k8s.io "nothing" not found',
  ],
  [
    "a binding to a kind that is no role",
    "will",
    "POST",
    `${IN_DEFAULT}/rolebindings`,
    binding("b6", "Robot one", "x"),
    'unsupported role reference kind: "Robot"',
  ],
  [
    "a binding to the role that one may bind",
    "bob",
    "POST",
    `${IN_DEFAULT}/rolebindings`,
    binding("b7", "ClusterRole admin", "x"),
    201,
  ],
  [
    "a binding to no role by who may bind another",
    "bob",
    "POST",
    `${IN_DEFAULT}/rolebindings`,
    binding("b8", "ClusterRole nothing", "x"),
    'clusterroles.rbac.authorization.k8s.io "nothing" not found',
  ],
  [
    "who may escalate roles may not bind them",
    "eve",
    "POST",
    `${IN_DEFAULT}/rolebindings`,
    binding("b9", "ClusterRole pod-reader", "x"),
    'rolebindings.rbac.authorization.k8s.io "b9" is forbidden: user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
  ],
  [
    "a subject more in a binding to more",
    "will",
    "PATCH",
    `${API}/clusterrolebindings/lords`,
    { subjects: [{ apiGroup: GROUP, kind: "User", name: "will" }] },
    `clusterrolebindings.rbac.authorization.k8s.io "lords" is forbidden: ${OF_WILL}{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
  ],
  [
    "anything by a member of system:masters",
    "x,system:masters",
    "POST",
    `${API}/clusterrolebindings`,
    binding("b10", "ClusterRole nothing", "x"),
    201,
  ],
];

test.each(rows)("the escalation check on RBAC writes: %s", async (_title, user, method, path, body, expected) => {
  const options = method === "PATCH" ? { type: "application/merge-patch+json" } : {};
  const sent = path.includes("dryRun") ? path : `${path}?dryRun=All`;
  for (const target of [sent, path]) {
    const answer = await asUser(admin, user)(method, target, body, options);
    if (typeof expected === "number") expect(answer.status, answer.text).toBe(expected);
    else expect(answer.at("message"), answer.text).toBe(expected);
  }
});

test("a server-side apply of a role may grant no more than a PUT", async () => {
  const object = { apiVersion: `${GROUP}/v1`, kind: "Role", ...role("applied", rule("delete", "", "pods")) };
  const path = `${IN_DEFAULT}/roles/applied?fieldManager=test`;
  const answer = await asUser(admin, "will")("PATCH", path, object, { type: "application/apply-patch+yaml" });
  expect(answer.at("message")).toBe(
    `roles.rbac.authorization.k8s.io "applied" is forbidden: ${OF_WILL}{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}`,
  );
});

test("a short role that expands to millions of permissions is refused with an error of bounded length", async () => {
  const names = (prefix: string) => Array.from({ length: 300 }, (_, at) => `${prefix}${at}`).join(",");
  const product = role("product", rule(names("verb"), names("g"), names("r")));
  const answer = await asUser(admin, "will")("POST", `${IN_DEFAULT}/roles`, product);
  expect(answer.status).toBe(403);
  expect(answer.text.length).toBeLessThan(100_000);
  expect(answer.at("message")).toContain("(27000000 permissions in all)");
});
