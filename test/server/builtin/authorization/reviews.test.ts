import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { call } from "../../../helpers/api-caller.js";
import { asUser } from "../../../helpers/as-user.js";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const GROUP = "rbac.authorization.k8s.io";

let cluster: Cluster;
let admin: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  admin = cluster.transport();
  const users = (...names: string[]) => names.map((name) => ({ kind: "User", apiGroup: GROUP, name }));
  const bindings = [
    {
      kind: "ClusterRole",
      role: "view",
      path: `${RBAC}/namespaces/default/rolebindings`,
      name: "viewers",
      subjects: users("jane"),
    },
    {
      kind: "ClusterRole",
      role: "missing",
      path: `${RBAC}/clusterrolebindings`,
      name: "gone",
      subjects: users("greta"),
    },
    {
      kind: "ClusterRole",
      role: "cluster-admin",
      path: `${RBAC}/clusterrolebindings`,
      name: "bots",
      subjects: [{ kind: "ServiceAccount", name: "bot", namespace: "default" }],
    },
  ];
  for (const { kind, role, path, name, subjects } of bindings) {
    const roleRef = { apiGroup: GROUP, kind, name: role };
    const answer = await call(admin, "POST", path, { metadata: { name }, roleRef, subjects });
    expect(answer.status, answer.text).toBe(201);
  }
});

afterAll(() => cluster.close());

const pods = { verb: "get", resource: "pods", namespace: "default" };

/** Requirement AUTHZ-4; statuses of kube-apiserver's registry of authorization.k8s.io. */
test.each<[string, object, object]>([
  [
    "what a role binding allows",
    { user: "jane", resourceAttributes: pods },
    { allowed: true, reason: 'RBAC: allowed by RoleBinding "viewers/default" of ClusterRole "view" to User "jane"' },
  ],
  [
    "what it does not allow elsewhere",
    { user: "jane", resourceAttributes: { ...pods, namespace: "prod" } },
    { allowed: false },
  ],
  [
    "a role that does not exist",
    { user: "greta", resourceAttributes: pods },
    { allowed: false, reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "missing" not found' },
  ],
  [
    "a service account",
    { user: "system:serviceaccount:default:bot", resourceAttributes: pods },
    {
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "bots" of ClusterRole "cluster-admin" to ServiceAccount "bot/default"',
    },
  ],
  [
    "members of system:masters, without a reason",
    { groups: ["system:masters"], resourceAttributes: pods },
    { allowed: true },
  ],
  [
    "a path",
    { user: "x", groups: ["system:unauthenticated"], nonResourceAttributes: { verb: "get", path: "/healthz" } },
    {
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:public-info-viewer" of ClusterRole "system:public-info-viewer" to Group "system:unauthenticated"',
    },
  ],
  [
    "a selector that cannot be understood",
    { user: "jane", resourceAttributes: { ...pods, verb: "list", labelSelector: { rawSelector: "a in" } } },
    {
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "viewers/default" of ClusterRole "view" to User "jane"',
      evaluationError: "spec.resourceAttributes.labelSelector ignored due to parse error",
    },
  ],
])("a SubjectAccessReview answers %s", async (_what, spec, status) => {
  const answer = await call(admin, "POST", `${AUTHORIZATION}/subjectaccessreviews`, { spec });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.at("status")).toEqual(status);
});

test("a LocalSubjectAccessReview answers for its namespace", async () => {
  const spec = { user: "jane", resourceAttributes: pods };
  const answer = await call(admin, "POST", `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`, {
    metadata: { namespace: "default" },
    spec,
  });
  expect(answer.at("status.allowed"), answer.text).toBe(true);
});

test("a SelfSubjectAccessReview answers for the caller", async () => {
  const path = `${AUTHORIZATION}/selfsubjectaccessreviews`;
  const answer = await asUser(admin, "jane")("POST", path, { spec: { resourceAttributes: pods } });
  expect([answer.status, answer.at("status.allowed")]).toEqual([201, true]);
  const other = await asUser(admin, "jane")("POST", path, {
    spec: { resourceAttributes: { ...pods, verb: "delete" } },
  });
  expect(other.at("status")).toEqual({ allowed: false });
});

describe("a SelfSubjectRulesReview lists", () => {
  const path = `${AUTHORIZATION}/selfsubjectrulesreviews`;

  test("the rights of the cluster, then those of the namespace", async () => {
    const answer = await asUser(admin, "jane")("POST", path, { spec: { namespace: "default" } });
    const rules = answer.at("status.resourceRules") as { verbs: string[]; resources: string[] }[];
    expect(rules.slice(0, 3)).toEqual([
      {
        verbs: ["create"],
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
      },
      { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
      expect.objectContaining({ verbs: ["get", "list", "watch"] }),
    ]);
    expect(answer.at("status.nonResourceRules.0.nonResourceURLs.0")).toBe("/api");
    expect(answer.at("status.incomplete")).toBe(false);
  });

  test("what could not be looked up, as an evaluation error", async () => {
    const answer = await asUser(admin, "greta")("POST", path, { spec: { namespace: "default" } });
    expect(answer.at("status.evaluationError")).toBe('clusterrole.rbac.authorization.k8s.io "missing" not found');
  });

  test("the administrator's rights once", async () => {
    const answer = await call(admin, "POST", path, { spec: { namespace: "default" } });
    const rules = answer.at("status.resourceRules") as { resources: string[] }[];
    expect(rules.filter(({ resources }) => resources.includes("*"))).toEqual([
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    ]);
  });
});

test.each([
  [
    "what it may not list",
    "GET",
    "/api/v1/secrets",
    'secrets is forbidden: User "system:anonymous" cannot list resource "secrets" in API group "" at the cluster scope',
  ],
  ["the root", "GET", "/", 'forbidden: User "system:anonymous" cannot get path "/"'],
  [
    "a health check's own path",
    "GET",
    "/livez/ping",
    'forbidden: User "system:anonymous" cannot get path "/livez/ping"',
  ],
  [
    "a review of itself",
    "POST",
    `${AUTHORIZATION}/selfsubjectaccessreviews`,
    'selfsubjectaccessreviews.authorization.k8s.io is forbidden: User "system:anonymous" cannot create resource "selfsubjectaccessreviews" in API group "authorization.k8s.io" at the cluster scope',
  ],
])("a request without credentials is refused %s (AUN-5)", async (_what, method, path, message) => {
  const body = method === "POST" ? { spec: { resourceAttributes: pods } } : undefined;
  const answer = await call(admin, method, path, body, { headers: { authorization: "Basic none" } });
  expect([answer.status, answer.at("message")]).toEqual([403, message]);
});

test.each(["/healthz", "/livez", "/readyz", "/version"])("a request without credentials may read %s", async (path) => {
  expect((await call(admin, "GET", path, undefined, { headers: { authorization: "Basic none" } })).status).toBe(200);
});

test("a request with a wrong token is refused, not treated as anonymous", async () => {
  const answer = await call(admin, "GET", "/version", undefined, { headers: { authorization: "Bearer wrong" } });
  expect(answer.status).toBe(401);
});
