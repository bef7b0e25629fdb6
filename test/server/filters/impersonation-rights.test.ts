import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";

/** The user of each request, by the header X-User: "name,group,..." */
const USER_HEADER = "x-user";
const API = "/apis/rbac.authorization.k8s.io/v1";
const GROUP = "rbac.authorization.k8s.io";
const REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const PODS = "/api/v1/namespaces/default/pods";
const NODE_NAME = "authentication.kubernetes.io/node-name";

let cluster: Cluster;
let admin: Transport;

const rule = (verbs: string, apiGroups: string, resources: string, names?: string) => ({
  verbs: verbs.split(","),
  apiGroups: apiGroups.split(","),
  resources: resources.split(","),
  ...(names !== undefined && { resourceNames: names.split(";") }),
});

/** What each user may do beside reading who it is. */
const ROLES: Readonly<Record<string, readonly object[]>> = {
  legacy: [
    rule("impersonate", "", "users,groups", "jane;devs;system:masters"),
    rule("impersonate", "", "serviceaccounts", "bot"),
    rule("impersonate", "authentication.k8s.io", "uids", "u1"),
    rule("impersonate", "authentication.k8s.io", "userextras/scopes", "x"),
  ],
  limited: [
    rule(
      "impersonate:user-info",
      "authentication.k8s.io",
      "users,groups,uids",
      "jane;devs;ops;qa;dba;u1;system:masters;",
    ),
    rule("impersonate:user-info", "authentication.k8s.io", "userextras/example.com/scope", "x"),
    rule("impersonate-on:user-info:create", "authentication.k8s.io", "selfsubjectreviews"),
  ],
  noaction: [rule("impersonate:user-info", "authentication.k8s.io", "users", "jane")],
  accounts: [
    rule("impersonate:serviceaccount", "authentication.k8s.io", "serviceaccounts", "bot"),
    rule("impersonate-on:serviceaccount:create", "authentication.k8s.io", "selfsubjectreviews"),
  ],
  nodes: [
    rule("impersonate:arbitrary-node", "authentication.k8s.io", "nodes", "n1"),
    rule("impersonate-on:arbitrary-node:create", "authentication.k8s.io", "selfsubjectreviews"),
  ],
  "system:serviceaccount:default:agent": [
    rule("impersonate:associated-node", "authentication.k8s.io", "nodes"),
    rule("impersonate-on:associated-node:create", "authentication.k8s.io", "selfsubjectreviews"),
  ],
};

beforeAll(async () => {
  cluster = await startCluster({
    port: false,
    authenticators: [
      ({ headers }) => {
        const text = headers[USER_HEADER];
        if (text === undefined) return undefined;
        const [name = "", ...groups] = text.split(",");
        return { name, groups, extra: { [NODE_NAME]: ["n1"] } };
      },
    ],
  });
  const transport = cluster.transport();
  for (const [name, rules] of Object.entries(ROLES)) {
    await call(transport, "POST", `${API}/clusterroles`, { metadata: { name: `may-${name}` }, rules });
    const roleRef = { apiGroup: GROUP, kind: "ClusterRole", name: `may-${name}` };
    const subjects = [{ apiGroup: GROUP, kind: "User", name }];
    const answer = await call(transport, "POST", `${API}/clusterrolebindings`, {
      metadata: { name },
      roleRef,
      subjects,
    });
    expect(answer.status, answer.text).toBe(201);
  }
  // The transport's own certificate would come first.
  admin = {
    send: (request) =>
      cluster.transport().send({ ...request, headers: { ...request.headers, authorization: "Basic none" } }),
    close: async () => undefined,
  };
});

afterAll(() => cluster.close());

type Wanted = Readonly<Record<string, string | readonly string[]>>;

const as = (user: string, wanted: Wanted) => ({
  headers: { [USER_HEADER]: user },
  repeatedHeaders: Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [`impersonate-${key}`, [value].flat()]),
  ),
});

const AUTHENTICATED = "system:authenticated";

/** Of apiserver's pkg/endpoints/filters/impersonation: the right to act as each part of a user, in any request. */
test.each<[string, string, Wanted, object]>([
  ["a user", "legacy", { user: "jane" }, { username: "jane", groups: [AUTHENTICATED] }],
  [
    "a user with group, uid and extra",
    "legacy",
    { user: "jane", group: "devs", uid: "u1", "extra-scopes": "x" },
    { username: "jane", uid: "u1", groups: ["devs", AUTHENTICATED], extra: { scopes: ["x"] } },
  ],
  [
    "a service account by its name, in whatever namespace",
    "legacy",
    { user: "system:serviceaccount:dev:bot" },
    {
      username: "system:serviceaccount:dev:bot",
      groups: ["system:serviceaccounts", "system:serviceaccounts:dev", AUTHENTICATED],
    },
  ],
  [
    "system:masters, which the unconstrained right may name",
    "legacy",
    { user: "jane", group: "system:masters" },
    { username: "jane", groups: ["system:masters", AUTHENTICATED] },
  ],
  ["a user in this kind of request", "limited", { user: "jane" }, { username: "jane", groups: [AUTHENTICATED] }],
  [
    "a user with all its parts in this kind of request",
    "limited",
    { user: "jane", group: ["devs", "ops", "qa", "dba"], uid: "u1", "extra-example.com%2fscope": "x" },
    {
      username: "jane",
      uid: "u1",
      groups: ["devs", "ops", "qa", "dba", AUTHENTICATED],
      extra: { "example.com/scope": ["x"] },
    },
  ],
  [
    "a service account in this kind of request",
    "accounts",
    { user: "system:serviceaccount:dev:bot" },
    {
      username: "system:serviceaccount:dev:bot",
      groups: ["system:serviceaccounts", "system:serviceaccounts:dev", AUTHENTICATED],
    },
  ],
  [
    "a node",
    "nodes",
    { user: "system:node:n1" },
    { username: "system:node:n1", groups: ["system:nodes", AUTHENTICATED] },
  ],
  [
    "the node that the service account's pod is on",
    "system:serviceaccount:default:agent",
    { user: "system:node:n1" },
    { username: "system:node:n1", groups: ["system:nodes", AUTHENTICATED] },
  ],
])("a user with the right may impersonate %s", async (_whom, user, wanted, userInfo) => {
  const answer = await call(admin, "POST", REVIEW, {}, as(user, wanted));
  expect(answer.status, answer.text).toBe(201);
  expect(answer.at("status.userInfo")).toEqual(userInfo);
});

const REVIEWS = 'resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope';

test.each<[string, string, string, Wanted, string]>([
  [
    "without any right: the refusal is that of the constrained form",
    "nobody",
    REVIEW,
    { user: "jane" },
    `selfsubjectreviews.authentication.k8s.io is forbidden: User "nobody" cannot impersonate-on:user-info:create ${REVIEWS}`,
  ],
  [
    "in a request for a path",
    "nobody",
    "/logs",
    { user: "jane" },
    'forbidden: User "nobody" cannot impersonate-on:user-info:post path "/logs"',
  ],
  [
    "without a right to this request",
    "noaction",
    REVIEW,
    { user: "jane" },
    `selfsubjectreviews.authentication.k8s.io is forbidden: User "noaction" cannot impersonate-on:user-info:create ${REVIEWS}`,
  ],
  [
    "as another user",
    "limited",
    REVIEW,
    { user: "joe" },
    'users.authentication.k8s.io "joe" is forbidden: User "limited" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
  ],
  [
    "in another group",
    "limited",
    REVIEW,
    { user: "jane", group: ["devs", "admins"] },
    'groups.authentication.k8s.io "admins" is forbidden: User "limited" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope',
  ],
  [
    "in system:masters, which the constrained form never allows",
    "limited",
    REVIEW,
    { user: "jane", group: "system:masters" },
    'groups.authentication.k8s.io "system:masters" is forbidden: User "limited" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
  ],
  [
    "in a group without a name",
    "limited",
    REVIEW,
    { user: "jane", group: "" },
    'groups.authentication.k8s.io is forbidden: User "limited" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the empty string group is not allowed',
  ],
  [
    "with an extra key that is no path of a domain",
    "limited",
    REVIEW,
    { user: "jane", "extra-scopes": "x" },
    'userextras.authentication.k8s.io is forbidden: User "limited" cannot impersonate:user-info resource "userextras" in API group "authentication.k8s.io" at the cluster scope: impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")',
  ],
  [
    "with another value of an extra key",
    "limited",
    REVIEW,
    { user: "jane", "extra-example.com%2fscope": "y" },
    'userextras.authentication.k8s.io "y" is forbidden: User "limited" cannot impersonate:user-info resource "userextras/example.com/scope" in API group "authentication.k8s.io" at the cluster scope',
  ],
  [
    "as a service account of another name",
    "accounts",
    REVIEW,
    { user: "system:serviceaccount:dev:cat" },
    'serviceaccounts.authentication.k8s.io "cat" is forbidden: User "accounts" cannot impersonate:serviceaccount resource "serviceaccounts" in API group "authentication.k8s.io" in the namespace "dev"',
  ],
  [
    "as another node",
    "nodes",
    REVIEW,
    { user: "system:node:n2" },
    'nodes.authentication.k8s.io "n2" is forbidden: User "nodes" cannot impersonate:arbitrary-node resource "nodes" in API group "authentication.k8s.io" at the cluster scope',
  ],
  [
    "as a node that the pod is not on",
    "system:serviceaccount:default:agent",
    REVIEW,
    { user: "system:node:n2" },
    `selfsubjectreviews.authentication.k8s.io is forbidden: User "system:serviceaccount:default:agent" cannot impersonate-on:arbitrary-node:create ${REVIEWS}`,
  ],
])("a user may not impersonate %s", async (_how, user, path, wanted, message) => {
  const answer = await call(admin, "POST", path, {}, as(user, wanted));
  expect([answer.status, answer.at("message")]).toEqual([403, message]);
});

test("a caller whom one form of the right has once allowed is later refused in the words of that form", async () => {
  expect((await call(admin, "POST", REVIEW, {}, as("legacy", { user: "jane" }))).status).toBe(201);
  const answer = await call(admin, "POST", REVIEW, {}, as("legacy", { user: "joe" }));
  expect(answer.at("message")).toBe(
    'users "joe" is forbidden: User "legacy" cannot impersonate resource "users" in API group "" at the cluster scope',
  );
  const extra = await call(admin, "POST", REVIEW, {}, as("legacy", { user: "jane", "extra-scopes": ["x", "y"] }));
  expect(extra.at("message")).toBe(
    'userextras.authentication.k8s.io "y" is forbidden: User "legacy" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
  );
});

test("a request that the impersonated user may not send is refused in that user's name", async () => {
  const answer = await call(admin, "GET", PODS, undefined, as("legacy", { user: "jane" }));
  expect([answer.status, answer.at("message")]).toEqual([
    403,
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
  ]);
});
